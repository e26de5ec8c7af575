"""The MCP server: registers the tools, the lessons as resources, and the prompt with the SDK.

Importing this imports the SDK, which takes a while: only the first request does.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Annotated
from urllib.parse import quote

from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    Resource,
    ToolAnnotations,
)
from pydantic import Field

from sourcebook.core.errors import InvalidInput, NotFound, SourcebookError
from sourcebook.core.text import shorten
from sourcebook.core.version import installed_version
from sourcebook.surfaces.errors import log_failure, status_of
from sourcebook.surfaces.mcp import schemas, tools
from sourcebook.surfaces.mcp.caller import CALLER

INSTRUCTIONS = (
    "Sourcebook answers questions from books of documentation, all of them unless one is named."
    " `ask` gives an answer of which"
    " every sentence is proven or quoted, with numbered sources. `search` finds passages, and"
    " `fetch` or `read_lesson` read on, page by page, with `next_offset`."
)
URI = "sourcebook://{book}/{+path}{?offset}"
MARKDOWN = "text/markdown"
MAX_LISTED = 500
MAX_OFFSET_DIGITS = 9
READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

Offset = Annotated[int, Field(ge=0, description="Begin at this character, as next_offset says")]
Book = Annotated[str | None, Field(description="This book alone, instead of all")]


class BookServer(MCPServer[None]):
    """Lists the lessons of the default books as resources; the template reads any other.

    What a request names wrongly is an error with the protocol's own code.
    """

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, object],
        context: Context[None, object] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; its own failures are results, which the model reads."""
        names = [tool.__name__ for tool in TOOLS]
        if name not in names:
            raise MCPError(
                INVALID_PARAMS, f"There is no tool {shorten(name, 60)!r}. Available: {names}"
            )
        return await super().call_tool(name, arguments, context)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, object] | None = None,
        context: Context[None, object] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Write a prompt."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:  # an unknown name, or an argument that is missing
            raise MCPError(INVALID_PARAMS, shorten(str(error), 200)) from None

    async def list_resources(self) -> list[Resource]:
        """List the lessons that the caller may read; of very many, the first."""
        caller = CALLER.get()
        with translated_errors(protocol_error):
            scope = await caller.scope()
            lessons = await caller.use.books.lessons(scope)
        return [
            Resource(
                uri=lesson_uri(
                    str(lesson.metadata.get("book_id")), str(lesson.metadata.get("source_file"))
                ),
                name=str(lesson.metadata.get("source_file")),
                title=str(lesson.metadata.get("lesson_title") or "") or None,
                mime_type=MARKDOWN,
            )
            for lesson in lessons[:MAX_LISTED]
        ]


@cache
def book_server() -> BookServer:
    """Build the server once: it knows nothing of those who call it."""
    # It would log the beginning and the end of every request.
    logging.getLogger("mcp").setLevel(logging.WARNING)
    server = BookServer(
        name="sourcebook",
        title="Sourcebook",
        version=installed_version(),
        instructions=INSTRUCTIONS,
        subscriptions=False,
    )
    for tool in TOOLS:
        server.add_tool(tool, annotations=READ_ONLY, structured_output=True)
    server.resource(URI, name="lesson", title="A lesson of a book", mime_type=MARKDOWN)(lesson)
    server.prompt(title="Answer from the book")(answer_from_the_book)
    return server


def new_session_manager() -> StreamableHTTPSessionManager:
    """Return what handles one request. Host and Origin were checked before it, as everywhere."""
    return StreamableHTTPSessionManager(
        book_server()._lowlevel_server,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


async def search(
    query: Annotated[str, Field(description="What you want to know")],
    limit: Annotated[int, Field(ge=1, le=schemas.MAX_RESULTS)] = 5,
    filters: schemas.SearchFilters | None = None,
) -> schemas.SearchOut:
    """Find the passages that fit a question best, by meaning and words."""
    with translated_errors():
        return await tools.search(CALLER.get(), query, limit, filters)


async def fetch(
    id: Annotated[str, Field(description="As search returned it")],
    offset: Annotated[
        int | None, Field(ge=0, description="Begin at this character, as next_offset says")
    ] = None,
) -> schemas.DocumentOut:
    """Read the document of a search result, page by page."""
    with translated_errors():
        return await tools.fetch(CALLER.get(), id, offset)


async def ask(
    question: Annotated[str, Field(description="What you want to know")], book: Book = None
) -> schemas.AnswerOut:
    """Answer a question from the books: every sentence is proven by a source, or quoted from it."""
    with translated_errors():
        return await tools.ask(CALLER.get(), question, book)


async def read_lesson(
    path: Annotated[str, Field(description="The path of a lesson in its book")],
    offset: Offset = 0,
    book: Book = None,
) -> schemas.DocumentOut:
    """Read a lesson by its path, page by page."""
    with translated_errors():
        return await tools.read_lesson(CALLER.get(), path, offset, book)


async def list_books(
    offset: Annotated[int, Field(ge=0, description="Begin at this book, as next_offset says")] = 0,
) -> schemas.BooksOut:
    """List the books that may be read."""
    with translated_errors():
        return await tools.list_books(CALLER.get(), offset)


TOOLS = (search, fetch, ask, read_lesson, list_books)


async def lesson(book: str, path: str, offset: str = "0") -> str:
    """Read a lesson as it is written; a long one says where it goes on."""
    with translated_errors(protocol_error):
        page = await tools.read_lesson(CALLER.get(), path, _character(offset), book)
    if page.next_offset is None:
        return page.text
    return f"{page.text}\n\n[Continued at {lesson_uri(book, path)}?offset={page.next_offset}]"


def answer_from_the_book(question: str) -> str:
    """Answer a question from the book alone, with citations."""
    return (
        f"Answer this question from the book alone: {question}\n\n"
        "Call the tool `ask`. Keep its [1] markers and list its sources with their addresses. If it"
        " has no answer, call `search` and read on with `fetch`; say so if the book does not"
        " answer. Add nothing that is not in the book."
    )


def lesson_uri(book: str, path: str) -> str:
    return f"sourcebook://{quote(book, safe='')}/{quote(path)}"


def _character(offset: str) -> int:
    if not (offset.isascii() and offset.isdigit() and len(offset) <= MAX_OFFSET_DIGITS):
        raise InvalidInput(
            f"The offset must be the number of a character, got {shorten(offset, 20)!r}"
        )
    return int(offset)


def tool_error(error: SourcebookError) -> ToolError:
    """What the model reads as the result of a tool."""
    return ToolError(error.public_message)


def protocol_error(error: SourcebookError) -> MCPError:
    """What a client reads that asked for no tool."""
    is_callers = isinstance(error, NotFound | InvalidInput)
    return MCPError(INVALID_PARAMS if is_callers else INTERNAL_ERROR, error.public_message)


@contextmanager
def translated_errors(
    translate: Callable[[SourcebookError], Exception] = tool_error,
) -> Iterator[None]:
    """Turn our errors into the SDK's, which the agent reads; the SDK hides all others."""
    try:
        yield
    except SourcebookError as error:
        log_failure("tool_failed", error, status_of(error))
        raise translate(error) from None
