"""Maps collections, documents and hits to the schemas of the collections contract."""

from collections.abc import Iterable, Iterator, Sequence

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Document, Hit, Page
from sourcebook.search.explanation import explain
from sourcebook.search.searcher import SearchResult
from sourcebook.surfaces.collections import schemas
from sourcebook.surfaces.explanations import hit_fields, stage_fields
from sourcebook.surfaces.reply_size import cut_note, document_bytes, fitting
from sourcebook.surfaces.use_cases import UseCases


def collection_out(use: UseCases, collection: Collection) -> schemas.CollectionOut:
    return schemas.CollectionOut(
        name=collection.name,
        count=collection.count,
        metadata=dict(collection.metadata),
        reindex_required=use.models.reindex_required(collection),
    )


def collections_out(
    use: UseCases, collections: Iterable[Collection], after: str | None
) -> schemas.CollectionsOut:
    """Map the collections whose names come after a name, as many as fit."""
    wanted = [one for one in collections if after is None or one.name > after]
    wanted.sort(key=lambda one: one.name)  # a database may sort names by another alphabet
    some = fitting(wanted, lambda one: document_bytes(one.name, one.metadata))
    reply = schemas.CollectionsOut(collections=[collection_out(use, one) for one in some])
    if len(some) < len(wanted):
        reply.note = cut_note(len(some), len(wanted), f"Go on with after={some[-1].name}.")
    return reply


def document_out(document: Document) -> schemas.DocumentOut:
    return schemas.DocumentOut(id=document.id, text=document.text, metadata=dict(document.metadata))


def documents_json(page: Page, limit: int, offset: int) -> Iterator[bytes]:
    """The JSON of `DocumentsOut`, some documents at a time."""
    yield b'{"documents":['
    for number, document in enumerate(page.documents):
        comma = b"," if number else b""
        yield comma + document_out(document).model_dump_json().encode()
    about = _documents_out(page, limit, offset)
    counts = about.model_dump_json(exclude_unset=True, exclude={"documents"}).encode()
    yield b"]," + counts.removeprefix(b"{")


def _documents_out(page: Page, limit: int, offset: int) -> schemas.DocumentsOut:
    """Map a page without its documents; one that ended early says where the next begins."""
    count = len(page.documents)
    reply = schemas.DocumentsOut(documents=[], count=count, total=page.total)
    wanted = min(limit, page.total - offset)
    if 0 < count < wanted:
        reply.next_offset = offset + count
        advice = f"Go on with offset={reply.next_offset}."
        reply.note = cut_note(count, wanted, advice)
    return reply


def values_out(field: str, values: Sequence[str]) -> schemas.FieldValuesOut:
    """Map the values of a field, as many as fit."""
    some = fitting(values, lambda value: len(value.encode()))
    reply = schemas.FieldValuesOut(field=field, values=some, count=len(some))
    if len(some) < len(values):
        reply.note = cut_note(len(some), len(values), "Go on with the last of them as 'after'.")
    return reply


def query_out(found: SearchResult, *, explained: bool) -> schemas.QueryOut:
    hits = fitting(found.hits, lambda hit: document_bytes(hit.chunk.text, hit.chunk.metadata))
    reply = schemas.QueryOut(
        results=[_result_out(hit) for hit in hits],
        collection_metadata=dict(found.collection.metadata),
        mode=found.mode,
    )
    notes = [] if found.note is None else [found.note]
    if len(hits) < len(found.hits):
        notes.append(cut_note(len(hits), len(found.hits), "For the others, narrow 'where'."))
    # Absent, not null, if there is none; the same below.
    if notes:
        reply.note = " ".join(notes)
    if explained:
        reply.explain = _explain_out(found, len(hits))
    return reply


def _explain_out(found: SearchResult, shown: int) -> schemas.QueryExplainOut:
    explanation = explain(found)
    results = [
        {"id": stages.hit.chunk.document_id, **hit_fields(stages)}
        for stages in explanation.hits[:shown]
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
