"""What `search` does. Imports the service, so the command loads it only when it runs."""

import asyncio
import re
from dataclasses import dataclass

from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from sourcebook.cli.book_client import BookClient
from sourcebook.cli.reaching import reach
from sourcebook.cli.snippets import content_pattern, snippet
from sourcebook.cli.terminal import err, harmless, out
from sourcebook.core.errors import InvalidInput
from sourcebook.service.settings import Settings
from sourcebook.surfaces.book.schemas import ChunkOut, SearchIn, SearchOut

SNIPPET_LINES = 3
INDENT = "   "
MAX_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was typed."""

    question: str
    tier: int | None = None
    module: str | None = None
    limit: int = 5
    book: str | None = None


def search(settings: Settings, asked: Asked, *, as_json: bool) -> bool:
    """Print what is found; False if nothing is."""
    return asyncio.run(_search(settings, _question(asked), as_json=as_json))


async def _search(settings: Settings, question: SearchIn, *, as_json: bool) -> bool:
    async with reach(settings, "read") as client:
        found = await client.search(question)
        if as_json:
            print(found.model_dump_json(exclude_unset=True))
        elif found.results:
            show(found, out)
        else:
            err.print(await _why_nothing(client, found))
    return bool(found.results)


def show(found: SearchOut, console: Console) -> None:
    """Print the results, best first."""
    pattern = content_pattern(found.query)
    width = min(console.width, MAX_WIDTH) - len(INDENT)
    for rank, result in enumerate(found.results, 1):
        if rank > 1:
            console.print()
        console.print(_headline(rank, result))
        console.print(Text(INDENT + _place(result), style="green"))
        for line in _quoted(result.text, pattern, width).wrap(console, width):
            line.rstrip()
            console.print(Text(INDENT) + line)
        if (result.lesson_url or "").startswith("http"):
            console.print(Text(INDENT + harmless(result.lesson_url or ""), style="blue"))


def nothing_indexed(book_id: str) -> str:
    """What to do about a book that is not there."""
    return (
        f"Nothing is indexed of the book {book_id!r} yet: run `sourcebook ingest DOCS` with its"
        " folder, or name another book with --book"
    )


def _headline(rank: int, result: ChunkOut) -> Text:
    titles = [result.lesson_title or result.source_file or result.chunk_id, result.section_title]
    path = " › ".join(dict.fromkeys(harmless(title) for title in titles if title))
    return Text.assemble(
        (f"{rank:<{len(INDENT)}}", "dim"), (f"{result.score:.2f}  ", "cyan"), (path, "bold")
    )


def _place(result: ChunkOut) -> str:
    lines = f":{result.line_start}-{result.line_end}" if result.line_start else ""
    return harmless(result.source_file or result.chunk_id) + lines


def _quoted(text: str, pattern: re.Pattern[str] | None, width: int) -> Text:
    # Words do not fill their lines to the end, so a little less than fits is asked for.
    quoted = Text(harmless(snippet(text, pattern, SNIPPET_LINES * (width - 6))))
    if pattern is not None:
        quoted.highlight_regex(pattern, "bold yellow")
    return quoted


def _question(asked: Asked) -> SearchIn:
    given = {
        "query": asked.question,
        "book_id": asked.book,
        "hardware_tier": asked.tier,
        "module": asked.module,
        "limit": asked.limit,
    }
    try:
        return SearchIn.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(f"{found['loc'][0]}: {found['msg']}") from None


async def _why_nothing(client: BookClient, found: SearchOut) -> str:
    """One helpful line."""
    info = await client.info(found.book_id)
    if not info.total_chunks:
        return nothing_indexed(found.book_id)
    limits = [
        f"--tier {found.hardware_tier_filter}" if found.hardware_tier_filter else "",
        f"--module {found.module_filter}" if found.module_filter else "",
    ]
    given = " and ".join(limit for limit in limits if limit)
    return f"Nothing was found in the book {found.book_id!r}" + (f" with {given}" if given else "")
