"""Routes of the book contract for readers: search, read on from a result, read a lesson."""

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import FileResponse, StreamingResponse

from sourcebook.core.errors import NotFound
from sourcebook.core.metadata import Metadata
from sourcebook.search.book_query import BookScope
from sourcebook.surfaces.book import results, schemas
from sourcebook.surfaces.book.errors import BODY, errors
from sourcebook.surfaces.book.search import search_out
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.long_replies import in_turns
from sourcebook.surfaces.rate_limits import limit_searches
from sourcebook.surfaces.route_classes import JsonRoute
from sourcebook.surfaces.use_cases import UseCases

PREFIXES = ("/search", "/context", "/lesson", "/lessons", "/info", "/ingestion", "/books")
MAX_NEIGHBOURS = 20
MAX_PAGE = 100_000
# A file is no page of this service: it has no origin, runs nothing and loads nothing.
ORIGINAL_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

reads = APIRouter(tags=["book"], route_class=JsonRoute)

BookId = Annotated[schemas.Name | None, Query(description="This book alone, instead of all")]
Neighbours = Annotated[int, Query(ge=0, le=MAX_NEIGHBOURS)]


async def reader_scope(
    use: Using,
    book_id: BookId = None,
    hardware_tier: Annotated[
        schemas.Tier | None, Query(description="What lies above this tier does not exist")
    ] = None,
) -> BookScope:
    """Return what the reader may see. Async, or FastAPI would use a thread."""
    named = None if book_id is None else (book_id,)
    return BookScope(named or await use.default_books.ids(), hardware_tier)


Scope = Annotated[BookScope, Depends(reader_scope)]


@reads.post(
    "/search",
    responses=errors(*BODY, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(limit_searches)],
)
async def search(body: schemas.SearchIn, use: Using) -> schemas.SearchOut:
    """Find the chunks that fit a question best, within what the reader may see."""
    return await search_out(use, body)


@reads.get("/context/{chunk_id}", responses=errors(404, 422, 503))
async def context(
    chunk_id: str, scope: Scope, use: Using, prev: Neighbours = 1, next: Neighbours = 1
) -> schemas.ContextOut:
    """Read on around a chunk: so many before it and after it, of the same lesson."""
    chunks = await use.books.context(scope, chunk_id, prev, next)
    base_url, about = use.book_rules.base_url, chunks[0].metadata
    return schemas.ContextOut(
        chunks=[results.chunk_out(chunk, results.DIRECT_SCORE, base_url) for chunk in chunks],
        has_original=await _original(use, about) is not None,
    )


@reads.get("/lesson/{parent_doc_id}", responses=errors(404, 422, 503))
async def lesson(parent_doc_id: str, scope: Scope, use: Using) -> schemas.LessonOut:
    """Read a whole lesson, by the `parent_doc_id` of any of its chunks."""
    whole = await use.books.lesson(scope, parent_doc_id)
    return results.lesson_out(
        whole,
        use.book_rules.base_url,
        has_original=await _original(use, whole.document.metadata) is not None,
    )


@reads.get(
    "/lesson/{parent_doc_id}/original",
    response_class=Response,
    responses={
        200: {"description": "The file", "content": {"application/octet-stream": {}}},
        **errors(404, 422, 429, 503),
    },
    dependencies=[Depends(limit_searches)],
)
async def original(parent_doc_id: str, scope: Scope, use: Using) -> Response:
    """Give the uploaded file that a lesson was made from. Only PDF is shown in the browser."""
    whole = await use.books.lesson(scope, parent_doc_id)
    file = await _original(use, whole.document.metadata)
    if file is None:
        raise NotFound("The original of this lesson is not kept here: it was not uploaded")
    is_pdf = file.suffix.lower() == ".pdf"
    return FileResponse(
        file,
        # Any other type could run in the browser, as a page of this service.
        media_type="application/pdf" if is_pdf else "application/octet-stream",
        filename=file.name,
        content_disposition_type="inline" if is_pdf else "attachment",
        headers={"Cache-Control": "no-cache", "Content-Security-Policy": ORIGINAL_POLICY},
    )


@reads.get(
    "/lesson/{parent_doc_id}/original/pages/{page}",
    response_class=Response,
    responses={
        200: {"description": "The page", "content": {"image/png": {}}},
        **errors(404, 422, 429, 503),
    },
    dependencies=[Depends(limit_searches)],
)
async def page_picture(
    parent_doc_id: str, page: Annotated[int, Path(ge=1, le=MAX_PAGE)], scope: Scope, use: Using
) -> Response:
    """Draw a page of the uploaded PDF that a lesson was made from."""
    about = (await use.books.lesson(scope, parent_doc_id)).document.metadata
    path = results.source_file(about) if about.get("format") == "pdf" else None
    picture = await use.book_uploads.page_picture(results.book_of(about), path, page)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": ORIGINAL_POLICY}
    return Response(picture, media_type="image/png", headers=headers)


@reads.get("/lessons", response_model=schemas.LessonsOut, responses=errors(422, 503))
async def lessons(scope: Scope, use: Using) -> StreamingResponse:
    """List the lessons of the books in the order of their paths, without their texts."""
    found = await use.books.lessons(scope)
    return in_turns(results.lessons_json(scope.book_id, found), "application/json")


@reads.get("/info", responses=errors(422, 503))
async def info(use: Using, book_id: BookId = None) -> schemas.InfoOut:
    """Tell how much of a book, or of all of them, is indexed, and as of when."""
    scope = await reader_scope(use, book_id)
    statistics = await use.books.statistics_of(scope.book_ids)
    latest = [job for id_ in scope.book_ids if (job := await use.book_jobs.latest_indexed(id_))]
    newest = max(latest, key=lambda job: job.finished_at_s or 0.0, default=None)
    store = (await use.monitor.report())["qdrant"]
    return results.info_out(scope.book_id, statistics, newest, store)


async def _original(use: UseCases, about: Metadata) -> FilePath | None:
    """The uploaded file that a lesson was made from, if there is one."""
    return await use.book_uploads.original(results.book_of(about), results.source_file(about))
