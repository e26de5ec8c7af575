"""`sourcebook search`: finds the chunks that fit a question best and shows where they stand."""

import re
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from sourcebook.cli.answers import book_prefix, place_in_file
from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import NO
from sourcebook.cli.explain_display import stages_line, times_line
from sourcebook.cli.options import (
    BookId,
    Config,
    DataDir,
    EmbeddingsConfig,
    Json,
    settings_from,
)
from sourcebook.cli.snippets import SNIPPET_LINES, content_pattern, snippet
from sourcebook.cli.terminal import (
    MAX_WIDTH,
    answering_a_question,
    err,
    nothing_indexed,
    out,
    strip_controls,
)
from sourcebook.core.search_modes import SearchMode

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.wiring.search import SearchParts
    from sourcebook.surfaces.book.schemas import ChunkOut, SearchIn, SearchOut

INDENT = "   "


def search(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    tier: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Your hardware tier: nothing above it is shown."),
    ] = None,
    module: Annotated[str | None, typer.Option(help="Only this module, like ros2.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many results at most.")] = 5,
    mode: Annotated[
        SearchMode | None,
        typer.Option(
            help="Search by meaning (dense), by words (keyword) or by both (hybrid)."
            " [env: SOURCEBOOK_SEARCH_MODE]"
        ),
    ] = None,
    min_score: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Only results with this score or more.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the rank, score and time of each stage.")
    ] = False,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Search your books. Exit code 1 if nothing was found, 2 if something fails, as with grep."""
    import asyncio

    from sourcebook.cli.book_jobs import validated
    from sourcebook.surfaces.book.schemas import SearchIn

    fields = {
        "query": question,
        "book_id": book,
        "hardware_tier": tier,
        "module": module,
        "limit": limit,
        "mode": mode,
        "min_score": min_score,
        "explain": explain,
    }
    with answering_a_question():
        settings = settings_from(
            config, log_level="error", data_dir=data_dir, embeddings_config=embeddings_config
        )
        request = validated(SearchIn, fields)
        require_data(settings)
        found = asyncio.run(_search(settings, request, as_json=as_json))
    if not found:
        raise typer.Exit(NO)


async def _search(settings: "Settings", request: "SearchIn", *, as_json: bool) -> bool:
    from sourcebook.cli.opening import opened_to_search
    from sourcebook.surfaces.book.search import search_out

    async with opened_to_search(settings) as parts:
        found = await search_out(parts, request)
        if as_json:
            print(found.model_dump_json(exclude_unset=True))
        elif found.results:
            if found.corrected_query is not None:
                err.print(f"Showing results for: {strip_controls(found.corrected_query)}")
            show_results(found, out)
        else:
            err.print(await _why_nothing(parts, request, found))
    return bool(found.results)


def show_results(found: "SearchOut", console: Console) -> None:
    """Print the results, best first."""
    pattern = content_pattern(found.query)
    width = min(console.width, MAX_WIDTH) - len(INDENT)
    stages = {} if found.explain is None else {one.chunk_id: one for one in found.explain.results}
    for rank, result in enumerate(found.results, 1):
        if rank > 1:
            console.print()
        console.print(_headline(rank, result))
        book = book_prefix(result) if found.book_id is None else ""
        console.print(Text(INDENT + book + _place(result), style="green"))
        if (said := stages.get(result.chunk_id)) is not None:
            console.print(Text(INDENT) + stages_line(said))
        for line in _quoted(result.text, pattern, width).wrap(console, width):
            line.rstrip()
            console.print(Text(INDENT) + line)
        if (result.lesson_url or "").startswith("http"):
            console.print(Text(INDENT + strip_controls(result.lesson_url or ""), style="blue"))
    if found.explain is not None:
        console.print()
        console.print(times_line(found.explain))


def _headline(rank: int, result: "ChunkOut") -> Text:
    titles = [result.lesson_title or result.source_file or result.chunk_id, result.section_title]
    path = " › ".join(dict.fromkeys(strip_controls(title) for title in titles if title))
    return Text.assemble(
        (f"{rank:<{len(INDENT)}}", "dim"), (f"{result.score:.2f}  ", "cyan"), (path, "bold")
    )


def _place(result: "ChunkOut") -> str:
    return strip_controls(result.source_file or result.chunk_id) + place_in_file(result)


def _quoted(text: str, pattern: re.Pattern[str] | None, width: int) -> Text:
    # Words do not fill their lines to the end, so a little less than fits is asked for.
    quoted = Text(strip_controls(snippet(text, pattern, SNIPPET_LINES * (width - 6))))
    if pattern is not None:
        quoted.highlight_regex(pattern, "bold yellow")
    return quoted


async def _why_nothing(parts: "SearchParts", request: "SearchIn", found: "SearchOut") -> str:
    from sourcebook.cli.book_jobs import has_open_job

    books = (request.book_id,) if request.book_id else await parts.default_books.ids()
    if not (await parts.books.statistics_of(books)).chunks:
        open_job = await has_open_job(parts.book.parts, books[0])
        return nothing_indexed(books[0], has_open_job=open_job)
    filters = [
        f"--tier {found.hardware_tier_filter}" if found.hardware_tier_filter else "",
        f"--module {found.module_filter}" if found.module_filter else "",
        "--mode keyword" if request.mode == "keyword" else "",
        f"--min-score {request.min_score:g}" if request.min_score else "",
    ]
    given = " and ".join(name for name in filters if name)
    where = f"the book {books[0]!r}" if len(books) == 1 else f"the {len(books)} books"
    return f"Nothing was found in {where}" + (f" with {given}" if given else "")
