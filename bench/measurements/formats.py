"""Documents of every format: how fast they are converted, and what is kept of them.

They are made from the markdown pages: by pandoc and LibreOffice where those are installed, and
always by small writers of the bench's own. Every statement is quoted as in an answer, and looked up
in the file by other means.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.bundled_model import open_bundled_model
from bench.documents.pdf_writer import write_pdf
from bench.documents.places import words_on_pages
from bench.documents.programs import CHROMIUM, PROGRAMS, is_installed
from bench.documents.quotes import Quoted, citations_of, look_up
from bench.documents.scores import NOTHING, Kept, compare
from bench.documents.source import SourceDocument, read_documents
from bench.documents.tables import STYLES, print_tables
from bench.documents.writers import OUR_WRITERS
from bench.processes import memory
from bench.run import ROUNDS, Run
from bench.table import Goal, Row
from sourcebook.core.documents import ConvertedDocument
from sourcebook.providers.converters.conversion import InstalledConverters
from sourcebook.providers.converters.pdf import convert as convert_pdf
from sourcebook.providers.converters.process import ConversionProcess
from sourcebook.providers.registry.registry import Registry

ALL_PLACED = Goal(">=", 100, "%")
MOST_COVERED = Goal(">=", 95, "%")


@dataclass(frozen=True, slots=True)
class _Made:
    """Documents of one format, as one program writes them."""

    label: str
    ending: str
    contents: list[bytes]
    columns: int = 1


@dataclass(frozen=True, slots=True)
class _Converted:
    """What conversion made of them; `seconds` has one value for each round."""

    documents: list[ConvertedDocument]
    seconds: list[float]
    peak_mb: float


def measure(run: Run) -> list[Row]:
    """Speed, memory, what is kept, and whether citations lead to the place, for each format."""
    sources = read_documents(run.amount(6, 2))
    missing = [program for program in PROGRAMS if not is_installed(program)]
    if missing:
        print(f"Not installed, so nothing is made by it: {', '.join(missing)}", flush=True)
    rows = asyncio.run(_measured(sources, list(_made(sources, run.folder))))
    if is_installed(CHROMIUM):
        rows += _tables(run.folder)
    return rows


def _tables(folder: Path) -> Iterator[Row]:
    for tables in (print_tables(style, folder) for style in STYLES):
        text = convert_pdf(tables.content).text
        rows = f"{len(tables.rows)} rows"
        yield _share(f"pdf by chromium: tables {tables.style}", tables.kept(text), of=rows)


def _made(sources: Sequence[SourceDocument], folder: Path) -> Iterator[_Made]:
    for program, (make, endings) in PROGRAMS.items():
        for ending in endings if is_installed(program) else ():
            place = folder / f"{program}-{ending}"
            place.mkdir()
            yield _Made(f"{ending} by {program}", ending, make(sources, ending, place))
    for ending, write in OUR_WRITERS.items():
        yield _Made(f"{ending} by the bench", ending, [write(one) for one in sources])
    two_columns = partial(write_pdf, columns=2)
    yield _Made("pdf of two columns", "pdf", [two_columns(one) for one in sources], columns=2)


async def _measured(sources: Sequence[SourceDocument], made: Sequence[_Made]) -> list[Row]:
    rows: list[Row] = []
    async with open_bundled_model() as embedder:
        for one in made:
            converted = await _convert(one)
            kept = sum(map(compare, sources, (each.text for each in converted.documents)), NOTHING)
            quoted = Quoted()
            for content, document in zip(one.contents, converted.documents, strict=True):
                citations = await citations_of(f"part/document.{one.ending}", document, embedder)
                quoted += look_up(citations, content, one.ending, one.columns)
            rows += _rows(one, converted, kept, quoted)
            for example in quoted.wrong:
                print(f"{one.label}: {example}", flush=True)
    return rows


async def _convert(made: _Made) -> _Converted:
    """Convert the documents in a new process, after one that loads the libraries."""
    process = ConversionProcess()
    converters = InstalledConverters(Registry(), process.convert)
    paths = [f"document.{made.ending}"] * len(made.contents)
    seconds: list[float] = []
    try:
        for number in range(ROUNDS + 1):
            some = made.contents[:1] if number == 0 else made.contents
            started_s = time.monotonic()
            documents = [await _one(converters, *each) for each in zip(paths, some, strict=False)]
            seconds += [time.monotonic() - started_s] if number else []
        return _Converted(documents, seconds, memory(_converting_pid()).peak_mb)
    finally:
        process.close()


async def _one(converters: InstalledConverters, path: str, content: bytes) -> ConvertedDocument:
    found = converters.recognize(path, content)
    if found is None:
        raise ValueError(f"{path} was taken for markdown")
    return await converters.convert(found, content)


def _converting_pid() -> int:
    """Return the process id of the only child that converts."""
    children = " ".join(one.read_text() for one in Path("/proc/self/task").glob("*/children"))
    commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children.split()}
    (found,) = [pid for pid, command in commands.items() if b"converters.child" in command]
    return found


def _rows(made: _Made, converted: _Converted, kept: Kept, quoted: Quoted) -> Iterator[Row]:
    amount, unit = _amount(made)
    speeds = [amount / seconds for seconds in converted.seconds]
    yield Row(f"{made.label}: speed", speeds, None, f"{unit}/s", f"{amount} {unit}")
    yield Row(f"{made.label}: peak memory", [converted.peak_mb], None, "MB")
    if made.ending not in {"txt", "csv"}:
        yield _share(f"{made.label}: headings, precision", kept.heading_precision)
        yield _share(f"{made.label}: headings, recall", kept.heading_recall)
    yield _share(f"{made.label}: sentences kept", kept.text_share)
    yield _share(f"{made.label}: sentences in reading order", kept.order_share)
    if quoted.quotes:
        where = "page" if made.ending == "pdf" else "place"
        yield _share(
            f"{made.label}: citations whose {where} holds the quote",
            quoted.placed_share,
            ALL_PLACED,
            f"{quoted.quotes} quotes",
        )
    if made.ending == "pdf":
        goal = MOST_COVERED if made.columns == 1 else None
        yield _share(f"{made.label}: boxes that cover the quote", quoted.covered_share, goal)


def _share(what: str, share: float, goal: Goal | None = None, of: str = "") -> Row:
    return Row(what, [100 * share], goal, "%", of)


def _amount(made: _Made) -> tuple[int, str]:
    if made.ending == "pdf":
        return sum(len(words_on_pages(content)) for content in made.contents), "pages"
    return len(made.contents), "files"
