"""Routes of the RAG contract: post, list, read, search and delete documents."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import SkipValidation

from sourcebook.core.errors import SourcebookError
from sourcebook.core.posted_documents import PostedDocument, PostReceipt
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.rag_v3 import parsing, results, schemas
from sourcebook.surfaces.rag_v3.errors import BODY, WRITE, errors
from sourcebook.surfaces.rate_limits import limit_searches
from sourcebook.surfaces.request_errors import InvalidField
from sourcebook.surfaces.route_classes import JsonRoute, WriteRoute
from sourcebook.surfaces.use_cases import UseCases

PREFIX = "/api/rag"
PREFIXES = (PREFIX,)
MAX_PAGE = 1_000
MAX_OFFSET = 10**15

reads = APIRouter(prefix=PREFIX, tags=["documents"], route_class=JsonRoute)
writes = APIRouter(prefix=PREFIX, tags=["documents"], route_class=WriteRoute)

# Documented as these schemas, and handed over as plain JSON: `parsing` validates it.
IngestBody = Annotated[schemas.IngestIn, SkipValidation]
BatchBody = Annotated[schemas.BatchIn, SkipValidation]
LoadBody = Annotated[schemas.LoadIn, SkipValidation]
SearchBody = Annotated[schemas.RagSearchIn, SkipValidation]


@writes.post("/ingest", responses=errors(*BODY, *WRITE, 409, 503))
@writes.post("/documents", responses=errors(*BODY, *WRITE, 409, 503))
async def ingest(body: IngestBody, use: Using) -> schemas.IngestOut:
    """Store a document. One with the same `source` and `path` is replaced, if anything changed."""
    # In a thread, here and below: parsing many megabytes would block other requests.
    posting = await asyncio.to_thread(parsing.parse_posting, body)
    return results.receipt_out(await use.inbox.put(posting))


@writes.post(
    "/ingest/batch", responses=errors(*BODY, *WRITE, 409, 503), response_model_exclude_none=True
)
async def ingest_batch(body: BatchBody, use: Using) -> schemas.BatchOut:
    """Store up to 50 documents. One that cannot be stored does not harm the others."""
    parsed = await asyncio.to_thread(parsing.parse_batch, body)
    return results.batch_out(await _put_each(use, parsed))


@writes.post("/ingest/jobs", status_code=202, responses=errors(*BODY, *WRITE, 503))
async def order_load(body: LoadBody, use: Using) -> schemas.LoadOrderedOut:
    """Take up to 1000 documents and store them in the background; the job survives a crash."""
    postings = await asyncio.to_thread(parsing.parse_load, body)
    job = await use.bulk_imports.submit(postings)
    return schemas.LoadOrderedOut(job_id=job.id, status=job.status, total=len(postings))


@reads.get("/ingest/jobs/{job_id}", responses=errors(400, 404, 503))
async def get_load(job_id: int, use: Using) -> schemas.LoadOut:
    """Tell how far such a job is, or how it ended."""
    return results.load_out(*await use.bulk_imports.status(job_id))


@reads.post(
    "/search",
    responses=errors(*BODY, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(limit_searches)],
)
async def search(body: SearchBody, use: Using) -> schemas.RagSearchOut:
    """Find the chunks of posted documents that fit a question best."""
    asked = parsing.parse_search(body)
    found = await use.documents.search(
        asked.question, asked.limit, asked.least_score, asked.wanted, mode=asked.mode
    )
    return results.search_out(asked.question, found, explained=asked.explain)


@reads.get("/documents", responses=errors(400, 503))
async def list_documents(
    use: Using,
    source: Annotated[str | None, Query(description="Only of this source")] = None,
    tags: Annotated[str | None, Query(description="Only with one of these, as a,b")] = None,
    limit: Annotated[int, Query(ge=1, description="At most 1000; more is cut to that")] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
) -> schemas.RagDocumentsOut | schemas.CutRagDocumentsOut:
    """List documents in the order in which they were first posted. `stats` are of all of them."""
    wanted = parsing.parse_wanted(source, tags)
    headers, total = await use.documents.list(wanted, min(limit, MAX_PAGE), offset)
    stats = results.stats_out(await use.documents.statistics())
    return results.documents_out(headers, stats, total, offset)


@reads.get("/documents/{document_id}", responses=errors(404, 503))
async def get_document(document_id: str, use: Using) -> schemas.FoundDocumentOut:
    """Give a document with its text as it is stored."""
    return results.whole_out(*await use.documents.get(document_id))


@reads.get("/documents/{document_id}/chunks", responses=errors(404, 503))
async def get_chunks(document_id: str, use: Using) -> schemas.RagChunksOut:
    """Give the chunks of a document and where each stands in its text."""
    _, whole = await use.documents.get(document_id)
    return results.chunks_out(document_id, whole.chunks)


@writes.delete("/documents/{document_id}", responses=errors(*WRITE, 404, 503))
async def delete_document(document_id: str, use: Using) -> schemas.RagDeletedOut:
    """Delete a document with its chunks."""
    await use.inbox.delete(document_id)
    return schemas.RagDeletedOut(document_id=document_id, id=document_id)


@reads.get("/metrics", responses=errors(503))
async def metrics(use: Using) -> schemas.MetricsOut:
    """Tell how much is stored, from which sources, and whether every part is up."""
    health = await use.monitor.report()
    healthy = all(part.status == "up" for part in health.values())
    return results.metrics_out(await use.documents.statistics(), healthy=healthy)


@reads.get("/collections/{collection}/info", responses=errors(404, 503))
async def collection_info(collection: str, use: Using) -> schemas.CollectionInfoOut:
    """Describe any collection in the words of Qdrant."""
    found = await use.catalog.get(collection)
    chunks = (await use.documents.statistics(collection)).chunks
    stale = use.models.reindex_required(found)
    store = (await use.monitor.report())["qdrant"]
    return results.collection_out(found, chunks, store, stale=stale)


async def _put_each(
    use: UseCases, parsed: list[PostedDocument | InvalidField]
) -> list[PostReceipt | SourcebookError]:
    """Store the usable ones in one call; return a result for each of all, in order."""
    good = [posting for posting in parsed if isinstance(posting, PostedDocument)]
    put = iter(await use.inbox.put_all(good))
    return [next(put) if isinstance(item, PostedDocument) else item for item in parsed]
