"""The tools: search, fetch, ask, read_lesson and list_books."""

from collections.abc import Mapping

from sourcebook.answering.answer_events import gather_answer
from sourcebook.core.answers import Citation, ClosestPlace, Question
from sourcebook.core.documents import Chunk, Hit, WholeDocument
from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.lesson_links import lesson_url
from sourcebook.core.metadata import JsonValue
from sourcebook.core.text import check_text, is_blank, shorten
from sourcebook.ingestion.identity import lesson_id
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.surfaces.cancellation import Deadline, answer_deadline
from sourcebook.surfaces.mcp import schemas
from sourcebook.surfaces.mcp.caller import Caller
from sourcebook.surfaces.schema_types import utc_time

MAX_QUESTION_LENGTH = 2_000


async def search(
    caller: Caller, query: str, limit: int, filters: schemas.SearchFilters | None
) -> schemas.SearchOut:
    """Find the passages that fit a question best."""
    _check_question(query)
    filters = filters or schemas.SearchFilters()
    await caller.count_search()
    scope = await caller.scope(filters.book, filters.tier)
    found = await caller.use.books.search(
        BookQuery(
            text=query,
            scope=scope,
            limit=limit,
            module=filters.module,
            chapter_min=filters.chapter_min,
            chapter_max=filters.chapter_max,
        )
    )
    results = [await _found_out(caller, hit) for hit in found.hits]
    return schemas.SearchOut(results=results)


async def fetch(caller: Caller, id: str, offset: int | None) -> schemas.DocumentOut:
    """Read the document of a search result, or a lesson by its own id.

    From its beginning, or from the result itself if that lies beyond the first page.
    """
    scope = await caller.everything()
    chunk = await _chunk(caller, scope, id)
    try:
        whole = await caller.use.books.lesson(scope, id if chunk is None else chunk.document_id)
    except NotFound:
        raise NotFound(
            f"There is no document {shorten(id, 60)!r}; use an id that search returned"
        ) from None
    start = None if chunk is None or chunk.extent is None else chunk.extent.start
    if offset is None:
        beyond = start is not None and start >= schemas.MAX_PAGE_LENGTH
        offset = start if beyond else 0
    return await _page(caller, whole, offset or 0, id_=id, result_start=start)


async def read_lesson(
    caller: Caller, path: str, offset: int, book: str | None
) -> schemas.DocumentOut:
    """Read a lesson by its path in the book; InvalidInput if several books have one there."""
    scope = await caller.scope(book)
    found = [
        whole
        for book_id in scope.book_ids
        if (whole := await _lesson(caller, scope, book_id, path)) is not None
    ]
    if not found:
        there = f"book {scope.book_id!r}" if scope.book_id else f"books {list(scope.book_ids)}"
        raise NotFound(
            f"There is no lesson {shorten(path, 80)!r} in the {there}; search returns the paths of"
            " lessons"
        )
    if len(found) > 1:
        books = [_book(whole.document.metadata) for whole in found]
        raise InvalidInput(
            f"There is a lesson {shorten(path, 80)!r} in several books: {books}; name one as 'book'"
        )
    return await _page(caller, found[0], offset, id_=found[0].document.id)


async def ask(caller: Caller, question: str, book: str | None) -> schemas.AnswerOut:
    """Answer a question from the books, with citations that were checked."""
    _check_question(question)
    bound = book is not None or caller.grant.books is not None
    books = await caller.books(book)
    asked = Question(
        text=question,
        book_ids=books if bound else None,
        default_book_ids=books,
        hardware_tier=caller.grant.tier,
    )
    await caller.count_chat()
    deadline = Deadline.after(caller.use.sessions.timeout_s)
    async with answer_deadline(deadline), caller.chat_slot(deadline.timeout_s):
        answer = await gather_answer(await caller.use.sessions.ask(asked, deadline.at_s))
    kept = await caller.use.default_books.only_id()
    return schemas.AnswerOut(
        answer=answer.text,
        answered=answer.facts.answered,
        sources=[_source_out(caller, one, kept) for one in answer.citations],
        closest=[_place_out(caller, one) for one in answer.facts.closest],
    )


async def list_books(caller: Caller, offset: int) -> schemas.BooksOut:
    """List the books that may be read, page by page."""
    default = await caller.books()
    catalog = await caller.use.book_catalog.all()
    readable = [book for book in catalog if book.files and caller.grant.allows(book.id)]
    end = offset + schemas.MAX_BOOKS
    return schemas.BooksOut(
        books=[
            schemas.BookOut(
                id=book.id,
                lessons=book.files,
                updated_at=utc_time(book.updated_at_s),
                is_default=book.id in default,
            )
            for book in readable[offset:end]
        ],
        next_offset=end if end < len(readable) else None,
    )


def _check_question(text: str) -> None:
    check_text(text, "question")
    if is_blank(text):
        raise InvalidInput("The question is empty; say what you want to know")
    if len(text) > MAX_QUESTION_LENGTH:
        raise InvalidInput(
            f"The question has {len(text)} characters, {MAX_QUESTION_LENGTH} at most; shorten it"
        )


async def _lesson(
    caller: Caller, scope: BookScope, book_id: str, path: str
) -> WholeDocument | None:
    document_id = lesson_id(book_id, path.removeprefix("./").lstrip("/"))
    try:
        return await caller.use.books.lesson(scope, document_id)
    except NotFound:
        return None


async def _chunk(caller: Caller, scope: BookScope, id_: str) -> Chunk | None:
    try:
        (chunk,) = await caller.use.books.context(scope, id_, 0, 0)
    except NotFound:
        return None
    return chunk


async def _page(
    caller: Caller,
    whole: WholeDocument,
    offset: int,
    *,
    id_: str,
    result_start: int | None = None,
) -> schemas.DocumentOut:
    document, about = whole.document, whole.document.metadata
    end = _page_end(document.text, offset)
    return schemas.DocumentOut(
        id=id_,
        title=_title(_text(about, "lesson_title")) or _text(about, "source_file") or document.id,
        text=document.text[offset:end],
        url=await _lesson_url(caller, document.id, about),
        metadata=schemas.DocumentMetadata(
            book=_book(about),
            path=_text(about, "source_file"),
            offset=offset,
            total_characters=len(document.text),
            result_start=result_start,
        ),
        next_offset=end if end < len(document.text) else None,
    )


def _page_end(text: str, offset: int) -> int:
    """The end of a page: that of a line, unless the line is longer than half a page."""
    end = offset + schemas.MAX_PAGE_LENGTH
    if end >= len(text):
        return len(text)
    line_end = text.rfind("\n", offset + schemas.MAX_PAGE_LENGTH // 2, end)
    return end if line_end < 0 else line_end + 1


async def _found_out(caller: Caller, hit: Hit) -> schemas.FoundOut:
    chunk, about = hit.chunk, hit.chunk.metadata
    title = _title(_text(about, "lesson_title"), _text(about, "section_title"))
    path = _text(about, "source_file")
    return schemas.FoundOut(
        id=chunk.id,
        title=title or path or chunk.id,
        url=await _lesson_url(caller, chunk.document_id, about),
        text=shorten(chunk.text, schemas.MAX_TEXT_LENGTH),
        score=round(hit.score, 4),
        book=_book(about),
        path=path,
        line_start=chunk.extent.first_line if chunk.extent else None,
        line_end=chunk.extent.last_line if chunk.extent else None,
    )


async def _lesson_url(caller: Caller, document_id: str, about: Mapping[str, JsonValue]) -> str:
    """Where a lesson can be read: on the book's website, else here."""
    base, path = caller.use.book_rules.base_url, _text(about, "lesson_path")
    if base and path is not None:
        return lesson_url(base, path, _text(about, "anchor"))
    book, kept = _book(about), await caller.use.default_books.only_id()
    return caller.links.lesson(document_id, None if book == kept else book)


def _source_out(caller: Caller, citation: Citation, kept: str | None) -> schemas.SourceOut:
    return schemas.SourceOut(
        number=citation.number,
        title=_title(citation.title, citation.heading),
        url=caller.links.citation(citation, kept),
        quote=citation.quote,
        book=citation.book_id,
        path=citation.file,
        line_start=citation.first_line,
        line_end=citation.last_line,
    )


def _place_out(caller: Caller, place: ClosestPlace) -> schemas.PlaceOut:
    url = caller.links.absolute(place.url)
    return schemas.PlaceOut(title=_title(place.title, place.heading), url=url)


def _title(*parts: str | None) -> str:
    """The page and the heading; an author may write a title of any length."""
    return shorten(" › ".join(dict.fromkeys(filter(None, parts))), schemas.MAX_TITLE_LENGTH)


def _book(about: Mapping[str, JsonValue]) -> str:
    return _text(about, "book_id") or ""


def _text(about: Mapping[str, JsonValue], field: str) -> str | None:
    value = about.get(field)
    return value if isinstance(value, str) else None
