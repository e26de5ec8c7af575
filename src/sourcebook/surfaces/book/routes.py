"""The routes of the book contract."""

import time
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.security import APIKeyHeader

from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import JobRequest, Mode
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.surfaces.admission import admit_search
from sourcebook.surfaces.book import results, schemas
from sourcebook.surfaces.book.errors import ADMIN, BODY, errors
from sourcebook.surfaces.book.jobs import changes_out, job_out, moment, ordered
from sourcebook.surfaces.routing import AdminRoute, JsonRoute
from sourcebook.surfaces.use_cases import UseCases, Using

PREFIXES = ("/search", "/context", "/lesson", "/info", "/ingestion")
MAX_NEIGHBOURS = 20
MAX_JOBS = 200

# The route class checks the key, before anything else; this only tells the documentation.
_ADMIN_KEY = APIKeyHeader(
    name="X-Admin-API-Key",
    scheme_name="Admin key",
    description="Also taken: X-API-Key, or Authorization: Bearer",
    auto_error=False,
)

reads = APIRouter(tags=["book"], route_class=JsonRoute)
admin = APIRouter(tags=["ingestion"], route_class=AdminRoute, dependencies=[Depends(_ADMIN_KEY)])

BookId = Annotated[
    schemas.Name | None, Query(description="Another book than the one that is kept here")
]
Neighbours = Annotated[int, Query(ge=0, le=MAX_NEIGHBOURS)]


async def reader_scope(
    use: Using,
    book_id: BookId = None,
    hardware_tier: Annotated[
        schemas.Tier | None, Query(description="What lies above this tier does not exist")
    ] = None,
) -> BookScope:
    """What the reader may see. Async, or FastAPI would use a thread."""
    return BookScope(book_id or use.book_rules.book_id, hardware_tier)


Scope = Annotated[BookScope, Depends(reader_scope)]


@reads.post(
    "/search",
    responses=errors(*BODY, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(admit_search)],
)
async def search(body: schemas.SearchIn, use: Using) -> schemas.SearchOut:
    """Find the chunks of a book nearest to a question, within what the reader may see."""
    query = _query(body, use)
    found = await use.books.search(query)
    hits = results.found(found.hits, use.book_rules.base_url)
    reply = schemas.SearchOut(
        query=query.text,
        results=hits,
        total_found=len(hits),
        hardware_tier_filter=body.hardware_tier,
        module_filter=body.module,
        book_id=query.scope.book_id,
    )
    if body.explain:
        reply.explain = results.explained(found)
    return reply


@reads.get("/context/{chunk_id}", responses=errors(404, 422, 503))
async def context(
    chunk_id: str, scope: Scope, use: Using, prev: Neighbours = 1, next: Neighbours = 1
) -> schemas.ContextOut:
    """Read on around a chunk: so many before it and after it, of the same lesson."""
    chunks = await use.books.context(scope, chunk_id, prev, next)
    base_url = use.book_rules.base_url
    return schemas.ContextOut(
        chunks=[results.chunk_out(chunk, results.DIRECT, base_url) for chunk in chunks]
    )


@reads.get("/lesson/{parent_doc_id}", responses=errors(404, 422, 503))
async def lesson(parent_doc_id: str, scope: Scope, use: Using) -> schemas.LessonOut:
    """Read a whole lesson, by the `parent_doc_id` of any of its chunks."""
    whole = await use.books.lesson(scope, parent_doc_id)
    return results.lesson_out(whole, scope.book_id, use.book_rules.base_url)


@reads.get("/info", responses=errors(422, 503))
async def info(use: Using, book_id: BookId = None) -> schemas.InfoOut:
    """Tell how much of a book is indexed, and as of when."""
    book_id = book_id or use.book_rules.book_id
    statistics = await use.books.statistics(book_id)
    latest = await use.desk.latest_indexed(book_id)
    collection = statistics.collection
    return schemas.InfoOut(
        name=collection.name if collection else None,
        status="green" if statistics.chunks else "empty",
        points_count=statistics.chunks,
        vectors_count=statistics.chunks,
        book_id=book_id,
        files_indexed=statistics.files,
        total_chunks=statistics.chunks,
        chunks_by_module=statistics.chunks_by_module,
        embedding_model=collection.generation.model if collection else None,
        dimensions=collection.generation.dimensions if collection else None,
        indexed_commit=latest.commit if latest else None,
        last_indexed_at=moment(latest.finished_at_s) if latest else None,
    )


@admin.post("/ingestion/trigger", status_code=202, responses=errors(*BODY, *ADMIN, 409, 503))
async def trigger(use: Using, body: schemas.TriggerIn | None = None) -> schemas.OrderedOut:
    """Queue a run. One that is queued already takes the request in; the reply has its id."""
    asked = body or schemas.TriggerIn()
    request = _request(use, asked.mode, asked.book_id, asked.docs_path, force=asked.force)
    return ordered(await use.desk.order(request))


@admin.get("/ingestion/status", responses=errors(*ADMIN, 422, 503))
async def list_jobs(
    use: Using,
    limit: Annotated[int, Query(ge=1, le=MAX_JOBS)] = 20,
    book_id: Annotated[schemas.Name | None, Query(description="Only jobs of this book")] = None,
) -> list[schemas.JobOut]:
    """List the latest jobs, newest first."""
    now_s = time.time()
    return [job_out(job, now_s) for job in await use.desk.recent(limit, book_id)]


@admin.get("/ingestion/status/{job_id}", responses=errors(*ADMIN, 404, 422, 503))
async def get_job(job_id: int, use: Using) -> schemas.JobOut:
    """Tell how far a job is, or how it ended."""
    return job_out(await use.desk.job(job_id), time.time())


@admin.get("/ingestion/changes", responses=errors(*ADMIN, 422, 503))
async def preview(
    use: Using,
    mode: Mode = "incremental",
    book_id: BookId = None,
    docs_path: Annotated[
        schemas.Folder | None, Query(description="A folder below the configured ones")
    ] = None,
) -> schemas.ChangesOut:
    """Show what a run would do. Nothing is changed."""
    request = _request(use, mode, book_id, docs_path)
    return changes_out(await use.desk.preview(request), mode)


@admin.post("/ingestion/cancel/{job_id}", responses=errors(*ADMIN, 404, 409, 422, 503))
async def cancel(job_id: int, use: Using) -> schemas.JobOut:
    """End a queued job, or ask a running one to end. What it has indexed stays."""
    return job_out(await use.desk.cancel(job_id), time.time())


def _query(body: schemas.SearchIn, use: UseCases) -> BookQuery:
    first, last = body.chapter_min, body.chapter_max
    if first is not None and last is not None and first > last:
        raise InvalidInput(
            f"'chapter_min' ({first}) must not be greater than 'chapter_max' ({last})"
        )
    levels = body.proficiency_levels
    return BookQuery(
        text=body.query,
        scope=BookScope(body.book_id or use.book_rules.book_id, body.hardware_tier),
        limit=body.limit,
        module=body.module,
        chapter_min=first,
        chapter_max=last,
        lesson=body.lesson,
        proficiency_levels=None if levels is None else tuple(levels),
        layer=body.layer,
        parent_doc_id=body.parent_doc_id,
    )


def _request(
    use: UseCases, mode: Mode, book_id: str | None, docs_path: str | None, *, force: bool = False
) -> JobRequest:
    return JobRequest(book_id or use.book_rules.book_id, mode, docs_path, force)
