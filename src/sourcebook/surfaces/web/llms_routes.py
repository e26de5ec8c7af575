"""Serves books to language models as text: its contents, all of it, or one lesson."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from sourcebook.core.documents import DocumentHeader, WholeDocument
from sourcebook.core.errors import NotFound
from sourcebook.core.lesson_links import lesson_url
from sourcebook.core.metadata import Metadata
from sourcebook.search.book_query import BookScope
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.links import Links, links_of
from sourcebook.surfaces.long_replies import in_turns
from sourcebook.surfaces.route_classes import JsonRoute
from sourcebook.surfaces.use_cases import UseCases
from sourcebook.surfaces.web.parameters import ERRORS, BookId

MARKDOWN = "text/markdown; charset=utf-8"
TEXT = "text/plain; charset=utf-8"

routes = APIRouter(tags=["web"], route_class=JsonRoute)


async def reader_scope(
    use: Using,
    book_id: BookId = None,
    hardware_tier: Annotated[
        int | None, Query(ge=1, le=4, description="What lies above this tier does not exist")
    ] = None,
) -> BookScope:
    """Return what the reader may see. Async, or FastAPI would use a thread."""
    named = None if book_id is None else (book_id,)
    return BookScope(named or await use.default_books.ids(), hardware_tier)


Scope = Annotated[BookScope, Depends(reader_scope)]
AbsoluteLinks = Annotated[Links, Depends(links_of)]


@routes.get("/llms.txt", response_class=PlainTextResponse, response_model=None, responses=ERRORS)
async def contents(scope: Scope, use: Using, links: AbsoluteLinks) -> StreamingResponse:
    """List the lessons of the books with their addresses, in the form of llmstxt.org."""
    lessons = await _lessons(use, scope)
    return in_turns(_encoded(_contents(scope, lessons, use, links)), TEXT)


@routes.get(
    "/llms-full.txt",
    response_class=PlainTextResponse,
    response_model=None,
    responses=ERRORS,
)
async def full_text(scope: Scope, use: Using, links: AbsoluteLinks) -> StreamingResponse:
    """Give the text of all lessons of the books, in reading order."""
    lessons = await _lessons(use, scope)
    return StreamingResponse(
        _full_text(scope, lessons, use, links), media_type=PlainTextResponse.media_type
    )


@routes.get(
    "/llms/{parent_doc_id}.md",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}, **ERRORS},
)
async def lesson(parent_doc_id: str, scope: Scope, use: Using) -> Response:
    """Give the text of a lesson as it is written."""
    whole = await use.books.lesson(scope, parent_doc_id)
    return Response(whole.document.text, media_type=MARKDOWN)


async def _lessons(use: UseCases, scope: BookScope) -> list[DocumentHeader]:
    lessons = await use.books.lessons(scope)
    if not lessons:
        raise NotFound(f"Nothing is indexed of the book {scope.book_ids[0][:60]!r}")
    return lessons


def _part(lesson: DocumentHeader) -> tuple[str | None, str | None]:
    """The book and the module of a lesson."""
    return _text(lesson.metadata, "book_id"), _text(lesson.metadata, "module")


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode() for line in lines)


def _contents(
    scope: BookScope, lessons: Sequence[DocumentHeader], use: UseCases, links: Links
) -> Iterator[str]:
    yield f"# {', '.join(scope.book_ids)}"
    yield ""
    lesson_count = f"{len(lessons)} lesson{'' if len(lessons) == 1 else 's'}"
    yield f"> {lesson_count}; questions are answered, with checked citations, at {links.base}/"
    for (book_id, module), group in groupby(lessons, _part):
        yield ""
        book = "" if scope.book_id else f"{book_id}: "
        yield f"## {book}{module or 'Lessons'}"
        yield ""
        for one in group:
            about = _text(one.metadata, "lesson_description")
            title = _title(one.metadata).translate(str.maketrans("[]\n", "() "))
            note = f": {' '.join(about.split())}" if about else ""
            yield f"- [{title}]({_address(one.id, one.metadata, use, links)}){note}"


async def _full_text(
    scope: BookScope, lessons: Sequence[DocumentHeader], use: UseCases, links: Links
) -> AsyncIterator[str]:
    for one in lessons:
        try:
            whole = await use.books.lesson(scope, one.id)
        except NotFound:
            # It was deleted since it was listed.
            continue
        yield _as_text(whole, _address(one.id, one.metadata, use, links))


def _as_text(whole: WholeDocument, address: str) -> str:
    title = _title(whole.document.metadata)
    return f"# {title}\n\nSource: {address}\n\n{whole.document.text.strip()}\n\n"


def _address(id_: str, about: Metadata, use: UseCases, links: Links) -> str:
    """On the book's website, else the text that is served here."""
    path = _text(about, "lesson_path")
    if use.book_rules.base_url and path is not None:
        return lesson_url(use.book_rules.base_url, path)
    return links.lesson_text(id_, _text(about, "book_id") or "")


def _title(about: Metadata) -> str:
    return _text(about, "lesson_title") or _text(about, "source_file") or ""


def _text(about: Metadata, field: str) -> str | None:
    value = about.get(field)
    return value if isinstance(value, str) else None
