"""`python -m bench.quotes`: what quotes of the Markdown books in SOURCEBOOK_EVAL_DATA look like.

Every lesson is cut into chunks and every chunk into statements, as if each were quoted in an
answer. Counted are quotes without lines, quotes that are not in the source at their span, chunks
that begin in mid-sentence, and statements that show marks of Markdown, HTML, JSX or Hugo.
"""

import asyncio
import os
import re
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.statements import read_statements
from sourcebook.core.documents import Chunk, ConvertedDocument, Span
from sourcebook.core.ports import Embedder
from sourcebook.ingestion.book.layout import FOLDERS, Layout
from sourcebook.ingestion.book.lessons import book_file, read_lesson
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS
from sourcebook.service.config.data_folder import own_data_folder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import bundled_entries, open_model
from sourcebook.text.spans import Lines

BOOKS = ("rust_book", "docusaurus_docs_and_dogfooding", "kubernetes_en_docs")
SUFFIXES = {".md", ".mdx"}
MAX_EXAMPLES = 3
# None of these may be in any book.
NOWHERE = {"statement without lines", "wrong line", "quote not at its span"}
_CODE = re.compile(r"(`+)(?:(?!\1).)+?\1", re.DOTALL)
_MARKS = {
    "shortcode": re.compile(r"\{\{[<%]"),
    "tag": re.compile(r"</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>"),
    "link": re.compile(r"\]\([^)\s]"),
    "reference": re.compile(r"\w\]\[[^\]]*\]"),
    "emphasis": re.compile(r"\*\*\S|(?<!\w)__\w|(?<!\w)\*\w[^*]*\w\*(?!\w)"),
    "footnote": re.compile(r"\[\^\w+\]"),
    "comment": re.compile(r"<!--|\{/\*"),
    "entity": re.compile(r"&(?:[a-z]+|#\d+);"),
}


@dataclass(slots=True)
class Counts:
    """What was counted in one book, with the first examples of what is wrong."""

    chunks: int = 0
    statements: int = 0
    wrong: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, what: str, example: str) -> None:
        """Count something that is wrong."""
        self.wrong[what] = self.wrong.get(what, 0) + 1
        known = self.examples.setdefault(what, [])
        if len(known) < MAX_EXAMPLES:
            known.append(example.replace("\n", "⏎")[:160])


async def count_book(folder: Path, embedder: Embedder) -> Counts:
    """Cut every lesson below the folder and look at each statement as a quote."""
    counts = Counts()
    layout = Layout((FOLDERS,))
    for name, content in _files(folder):
        place = layout.place(name)
        if place is None:
            continue
        source = content.decode("utf-8", errors="replace")
        (tokens,) = await embedder.tokenize([source])
        file = book_file("book", name, place, content, embedder.revision)
        for chunk in read_lesson(
            "book", file, ConvertedDocument(source), tokens, MARKDOWN_LIMITS
        ).chunks:
            _count_chunk(counts, name, source, chunk)
    return counts


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES:
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _count_chunk(counts: Counts, name: str, source: str, chunk: Chunk) -> None:
    counts.chunks += 1
    where = f"{name}#{chunk.ordinal}: "
    if chunk.text.lstrip()[:1].islower():
        counts.note("chunk begins in lower case", where + chunk.text)
    passage = Passage(1, chunk.text, Source(name, name, ""), 1.0, chunk.extent)
    has_lines, lines = True, Lines(source)
    for one in read_statements([passage]):
        counts.statements += 1
        statement = one.statement
        sources = CitationList()
        sources.number(passage, Span(statement.start, statement.end))
        (citation,) = sources.citations()
        if citation.first_line is None:
            counts.note("statement without lines", where + statement.text)
            has_lines = False
        elif citation.start is None or citation.first_line != lines.number(citation.start):
            counts.note("wrong line", where + statement.text)
        if citation.start is None or citation.quote != source[citation.start : citation.end]:
            counts.note("quote not at its span", where + statement.text)
        if one.kind == "prose" and statement.text[:1].islower():
            counts.note("prose begins in lower case", where + statement.text)
        for mark in _marks_in(statement.text) if one.kind != "code" else ():
            counts.note(f"shows {mark}", where + statement.text)
    if not has_lines:
        counts.note("chunk with a statement without lines", where)


def _marks_in(text: str) -> Iterator[str]:
    """The kinds of marks that a reader would see; inside of code they are meant."""
    plain = _CODE.sub("", text)
    for name, pattern in _MARKS.items():
        if pattern.search(plain):
            yield name


async def main() -> int:
    """Print the counts of each book; the exit code is 1 if a quote is not where it says."""
    right = True
    data = os.environ.get("SOURCEBOOK_EVAL_DATA")
    if not data:
        sys.exit(
            "Set SOURCEBOOK_EVAL_DATA to the folder of the public sets; see docs/evaluation.md"
        )
    with tempfile.TemporaryDirectory(prefix="sourcebook-quotes-") as name:
        settings = load_settings(data_dir=Path(name) / "data")
        with own_data_folder(Path(name) / "data") as owned:
            async with open_model(settings, bundled_entries()[0], owned) as embedder:
                for book in BOOKS:
                    folder = Path(name) / book
                    with tarfile.open(Path(data) / "markdown" / f"{book}.tar.xz") as archive:
                        archive.extractall(folder, filter="data")
                    counts = await count_book(folder, embedder)
                    _print(book, counts)
                    right &= NOWHERE.isdisjoint(counts.wrong)
    return 0 if right else 1


def _print(book: str, counts: Counts) -> None:
    print(f"\n{book}: {counts.chunks} chunks, {counts.statements} statements")
    for what, number in sorted(counts.wrong.items()):
        of = counts.chunks if what.startswith("chunk") else counts.statements
        print(f"  {what}: {number} ({100 * number / of:.1f} %)")
        for example in counts.examples[what]:
            print(f"      {example}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
