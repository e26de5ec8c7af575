"""Maps documents, chunks, hits and loads to the schemas of the RAG contract."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, DocumentHeader, Hit, WholeDocument, chunk_count
from sourcebook.core.errors import SourcebookError
from sourcebook.core.health import ServiceHealth
from sourcebook.core.jobs import ImportTally, IngestJob
from sourcebook.core.metadata import Metadata
from sourcebook.core.posted_documents import PostReceipt, own_metadata
from sourcebook.search.explanation import Explanation, FoundHits
from sourcebook.search.posted_documents import DocumentStatistics
from sourcebook.surfaces.explanations import hit_fields, stage_fields
from sourcebook.surfaces.rag_v3 import schemas
from sourcebook.surfaces.rag_v3.errors import explain
from sourcebook.surfaces.reply_size import cut_note, document_bytes, fitting
from sourcebook.surfaces.schema_types import STORE_COLOURS, utc_time


def receipt_out(receipt: PostReceipt) -> schemas.IngestOut:
    return schemas.IngestOut(
        status=receipt.status, document_id=receipt.document_id, chunk_count=receipt.chunk_count
    )


def batch_out(results: Sequence[PostReceipt | SourcebookError]) -> schemas.BatchOut:
    counts = Counter(r.status if isinstance(r, PostReceipt) else "failed" for r in results)
    return schemas.BatchOut(
        results=[
            receipt_out(result) if isinstance(result, PostReceipt) else _refused(index, result)
            for index, result in enumerate(results)
        ],
        created=counts["created"],
        updated=counts["updated"],
        unchanged=counts["unchanged"],
        failed=counts["failed"],
    )


def load_out(job: IngestJob, tally: ImportTally) -> schemas.LoadOut:
    return schemas.LoadOut(
        job_id=job.id,
        status=job.status,
        total=tally.total,
        processed=tally.settled,
        created=tally.by_status.get("created", 0),
        updated=tally.by_status.get("updated", 0),
        unchanged=tally.by_status.get("unchanged", 0),
        failed=tally.by_status.get("failed", 0),
        errors=[
            schemas.LoadErrorOut(index=position, message=result.message or "It could not be stored")
            for position, result in tally.failures
        ],
        created_at=utc_time(job.created_at_s),
        started_at=utc_time(job.started_at_s),
        finished_at=utc_time(job.finished_at_s),
        error=job.error,
    )


def search_out(question: str, found: FoundHits, *, explained: bool) -> schemas.RagSearchOut:
    # A reranker chooses the hits; the contract orders them by score.
    hits = sorted(found.hits, key=lambda hit: -hit.score)
    reply = schemas.RagSearchOut(
        query=question, result_count=len(hits), results=[hit_out(hit) for hit in hits]
    )
    if explained:
        reply.explain = _explain_out(found.explanation)
    return reply


def hit_out(hit: Hit) -> schemas.RagHitOut:
    about = hit.chunk.metadata
    return schemas.RagHitOut(
        text=hit.chunk.text,
        score=hit.score,
        metadata=schemas.HitMetadataOut(
            document_id=hit.chunk.document_id,
            source=_text(about, "source"),
            path=_text(about, "path"),
            title=_text(about, "title"),
            chunk_index=hit.chunk.ordinal,
            tags=_tags(about),
        ),
    )


def document_out(header: DocumentHeader) -> schemas.RagDocumentOut:
    about = header.metadata
    return schemas.RagDocumentOut(
        document_id=header.id,
        id=header.id,
        source=_text(about, "source"),
        path=_text(about, "path"),
        title=_text(about, "title"),
        hash=_text(about, "hash") or None,
        tags=_tags(about),
        metadata=own_metadata(about),
        chunk_count=chunk_count(about),
        text_length=_count(about, "text_length"),
        created_at=utc_time(header.created_at_s),
        updated_at=utc_time(header.updated_at_s),
    )


def documents_out(
    headers: Sequence[DocumentHeader], stats: schemas.StatsOut, total: int, offset: int
) -> schemas.RagDocumentsOut | schemas.CutRagDocumentsOut:
    """Map a page of documents, as many as fit. Each comes twice."""
    shown = fitting(headers, lambda header: 2 * document_bytes("", header.metadata))
    found = [document_out(header) for header in shown]
    page = schemas.RagDocumentsOut(
        data=found, documents=found, stats=stats, count=len(found), total=total
    )
    if len(shown) == len(headers):
        return page
    following = offset + len(shown)
    note = cut_note(len(shown), len(headers), f"Go on with offset={following}.")
    return schemas.CutRagDocumentsOut(**dict(page), nextOffset=following, note=note)


def whole_out(header: DocumentHeader, whole: WholeDocument) -> schemas.FoundDocumentOut:
    about = document_out(header).model_dump()
    data = schemas.WholeDocumentOut(**about, text=whole.document.text)
    return schemas.FoundDocumentOut(document_id=header.id, data=data)


def chunks_out(document_id: str, chunks: Sequence[Chunk]) -> schemas.RagChunksOut:
    return schemas.RagChunksOut(
        document_id=document_id, count=len(chunks), chunks=[_chunk_out(chunk) for chunk in chunks]
    )


def stats_out(statistics: DocumentStatistics) -> schemas.StatsOut:
    return schemas.StatsOut(
        document_count=statistics.documents,
        chunk_count=statistics.chunks,
        avg_chunks_per_doc=_average(statistics),
    )


def metrics_out(statistics: DocumentStatistics, *, healthy: bool) -> schemas.MetricsOut:
    stats = schemas.MetricsStatsOut(
        document_count=statistics.documents,
        chunk_count=statistics.chunks,
        avg_chunks_per_doc=_average(statistics),
        total_documents=statistics.documents,
        total_chunks=statistics.chunks,
        source_breakdown={
            source: schemas.SourceOut(count=documents, chunks=chunks)
            for source, (documents, chunks) in statistics.by_source.items()
        },
        oldest_document=utc_time(statistics.oldest_s),
        newest_document=utc_time(statistics.newest_s),
    )
    return schemas.MetricsOut(healthy=healthy, stats=stats, timestamp=datetime.now(UTC))


def collection_out(
    collection: Collection, chunks: int, store: ServiceHealth, *, stale: bool
) -> schemas.CollectionInfoOut:
    """Describe a collection in the words of Qdrant; a stale one needs re-indexing."""
    colour = STORE_COLOURS[store.status]
    info = schemas.QdrantInfoOut(
        status="yellow" if stale and colour == "green" else colour,
        points_count=chunks,
        vectors_count=chunks,
        documents_count=collection.count,
        embedding_model=collection.generation.model,
        dimensions=collection.generation.dimensions,
    )
    return schemas.CollectionInfoOut(
        collection=collection.name, info=info, timestamp=datetime.now(UTC)
    )


def _explain_out(explanation: Explanation) -> schemas.RagExplainOut:
    by_score = sorted(explanation.hits, key=lambda stages: -stages.hit.score)
    results = [
        {
            "document_id": stages.hit.chunk.document_id,
            "chunk_index": stages.hit.chunk.ordinal,
            **hit_fields(stages),
        }
        for stages in by_score
    ]
    return schemas.RagExplainOut.model_validate({**stage_fields(explanation), "results": results})


def _refused(index: int, error: SourcebookError) -> schemas.RefusedOut:
    _, said = explain(error)
    return schemas.RefusedOut.model_validate({"index": index, **said})


def _chunk_out(chunk: Chunk) -> schemas.RagChunkOut:
    extent = chunk.extent
    return schemas.RagChunkOut(
        chunk_id=chunk.id,
        chunk_index=chunk.ordinal,
        text=chunk.text,
        start=extent.start if extent else None,
        end=extent.end if extent else None,
        line_start=extent.first_line if extent else None,
        line_end=extent.last_line if extent else None,
        overlap=extent.overlap if extent else 0,
    )


def _average(statistics: DocumentStatistics) -> str:
    return f"{statistics.chunks / max(1, statistics.documents):.2f}"


# The collection may hold documents of another contract, with metadata of any type.


def _text(about: Metadata, field: str) -> str:
    value = about.get(field)
    return value if isinstance(value, str) else ""


def _tags(about: Metadata) -> list[str]:
    value = about.get("tags")
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []


def _count(about: Metadata, field: str) -> int:
    value = about.get(field)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
