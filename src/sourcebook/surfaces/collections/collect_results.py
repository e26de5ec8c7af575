"""Maps what several collections hold to the schemas of the collections contract."""

from collections.abc import Sequence
from dataclasses import replace

from sourcebook.core.metadata import Metadata
from sourcebook.search.collector import CollectedHits
from sourcebook.search.explanation import explain
from sourcebook.search.fusion import CollectionHit
from sourcebook.search.query_text import QueryText
from sourcebook.surfaces.collections.collect_schemas import (
    CollectedOut,
    CollectExplainOut,
    CollectOut,
    FailureOut,
)
from sourcebook.surfaces.explanations import hit_fields, stage_fields
from sourcebook.surfaces.reply_size import cut_note, document_bytes, fitting

# The metadata fields of a document's title and source, if its collection names none.
_TITLES = ("title", "page_title", "lesson_title", "name", "heading")
_SOURCES = ("source_url", "source", "url", "path", "source_file")


def harvest_out(query: QueryText, harvest: CollectedHits, *, explained: bool) -> CollectOut:
    """Map what was found, and how it was searched for."""
    found = harvest.documents
    shown = fitting(found, _bytes_of)
    harvest = replace(harvest, documents=tuple(shown))
    reply = CollectOut(
        result=harvest.verdict,
        data=[_document(item) for item in harvest.documents],
        strategy=query.strategy,
        query_text=query.text,
        failures=[
            FailureOut(collection=failure.collection, detail=failure.error.public_message)
            for failure in harvest.failures
        ],
    )
    if len(shown) < len(found):
        reply.note = cut_note(len(shown), len(found), "For the others, ask fewer collections.")
    if explained:
        reply.explain = _explain_out(harvest)
    return reply


def _bytes_of(item: CollectionHit) -> int:
    return document_bytes(item.hit.chunk.text, item.hit.chunk.metadata)


def _explain_out(harvest: CollectedHits) -> CollectExplainOut:
    by_name = {one.collection.name: explain(one) for one in harvest.searches}
    stages = {
        (name, hit.hit.chunk.id): {
            "collection": name,
            "id": hit.hit.chunk.document_id,
            **hit_fields(hit),
        }
        for name, explanation in by_name.items()
        for hit in explanation.hits
    }
    keys = [(item.found.collection.name, item.hit.chunk.id) for item in harvest.documents]
    return CollectExplainOut.model_validate(
        {
            "searches": [
                {"collection": name, **stage_fields(explanation)}
                for name, explanation in by_name.items()
            ],
            "results": [stages[key] for key in keys],
        }
    )


def _document(item: CollectionHit) -> CollectedOut:
    hit, about = item.hit, item.found.collection.metadata
    document = CollectedOut(
        id=hit.chunk.document_id,
        text=hit.chunk.text,
        title=_named(hit.chunk.metadata, about, "title_field", _TITLES) or hit.chunk.document_id,
        source=_named(hit.chunk.metadata, about, "source_field", _SOURCES),
        metadata=dict(hit.chunk.metadata),
        collection=item.found.collection.name,
        distance=hit.distance,
        score=hit.score,
    )
    if hit.rerank_score is not None:
        document.rerank_score = hit.rerank_score
    return document


def _named(metadata: Metadata, about: Metadata, naming: str, common: Sequence[str]) -> str:
    """Return the text of the field that the collection names, else of the first common one."""
    field = about.get(naming)
    names = (field, *common) if isinstance(field, str) else common
    texts = (_text(metadata, name) for name in names)
    return next((text for text in texts if text), "")


def _text(metadata: Metadata, field: str) -> str:
    value = metadata.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)
