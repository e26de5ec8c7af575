"""Maps collections, documents and hits to the schemas of the collections contract."""

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document, Hit
from sourcebook.search.explanation import explain
from sourcebook.search.searcher import SearchResult
from sourcebook.surfaces.collections import schemas
from sourcebook.surfaces.explanations import hit_fields, stage_fields
from sourcebook.surfaces.use_cases import UseCases


def collection_out(use: UseCases, collection: Collection) -> schemas.CollectionOut:
    return schemas.CollectionOut(
        name=collection.name,
        count=collection.count,
        metadata=dict(collection.metadata),
        reindex_required=use.models.reindex_required(collection),
    )


def document_out(document: Document) -> schemas.DocumentOut:
    return schemas.DocumentOut(id=document.id, text=document.text, metadata=dict(document.metadata))


def query_out(found: SearchResult, *, explained: bool) -> schemas.QueryOut:
    reply = schemas.QueryOut(
        results=[_result_out(hit) for hit in found.hits],
        collection_metadata=dict(found.collection.metadata),
        mode=found.mode,
    )
    # Absent, not null, if there is none; the same below.
    if found.note is not None:
        reply.note = found.note
    if explained:
        reply.explain = _explain_out(found)
    return reply


def _explain_out(found: SearchResult) -> schemas.QueryExplainOut:
    explanation = explain(found)
    results = [
        {"id": stages.hit.chunk.document_id, **hit_fields(stages)} for stages in explanation.hits
    ]
    return schemas.QueryExplainOut.model_validate({**stage_fields(explanation), "results": results})


def _result_out(hit: Hit) -> schemas.ResultOut:
    result = schemas.ResultOut(
        id=hit.chunk.document_id,
        text=hit.chunk.text,
        distance=hit.distance,
        score=hit.score,
        metadata=dict(hit.chunk.metadata),
    )
    if hit.rerank_score is not None:
        result.rerank_score = hit.rerank_score
    return result
