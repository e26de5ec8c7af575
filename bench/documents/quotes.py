"""Quotes every statement of a converted document, as answers do, and looks each up in its file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bench.documents.places import PageWord, texts_at_places, words_on_pages
from bench.documents.source import words_of
from sourcebook.answering.citations import CitationList
from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.statements import NO_STATEMENTS, read_statements
from sourcebook.core.answers import Citation
from sourcebook.core.documents import Box, ConvertedDocument, Location, Span
from sourcebook.core.ports import Embedder, FileFormat
from sourcebook.ingestion.book.layout import FOLDERS, Layout
from sourcebook.ingestion.book.lessons import book_file, read_lesson
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS

MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Quoted:
    """How many quotes there are, of how many the place is right, and of how many the boxes."""

    quotes: int = 0
    placed: int = 0
    covered: int = 0
    wrong: tuple[str, ...] = ()

    def __add__(self, other: "Quoted") -> "Quoted":
        return Quoted(
            self.quotes + other.quotes,
            self.placed + other.placed,
            self.covered + other.covered,
            (*self.wrong, *other.wrong)[:MAX_EXAMPLES],
        )

    @property
    def placed_share(self) -> float:
        """The share of quotes that stand where they are said to."""
        return self.placed / max(1, self.quotes)

    @property
    def covered_share(self) -> float:
        """The share of quotes whose words are all in their boxes."""
        return self.covered / max(1, self.quotes)


async def citations_of(
    name: str, converted: ConvertedDocument, embedder: Embedder
) -> list[Citation]:
    """Return a citation of every statement of a document."""
    place = Layout((FOLDERS,)).place(name)
    if place is None:
        raise ValueError(f"{name!r} is no path of a lesson")
    (tokens,) = await embedder.tokenize([converted.text])
    about = FileFormat(PurePosixPath(name).suffix, 1)
    file = book_file("book", name, place, b"", embedder.revision, file_format=about)
    lesson = read_lesson("book", file, converted, tokens, MARKDOWN_LIMITS)
    found: list[Citation] = []
    for chunk in lesson.chunks:
        passage = Passage(1, chunk.text, Source(name, name, ""), 1.0, chunk.extent)
        for one in read_statements([passage]):
            if one.kind in NO_STATEMENTS:
                continue
            sources = CitationList()
            sources.number(passage, Span(one.statement.start, one.statement.end))
            found += sources.citations()
    return found


def look_up(citations: Sequence[Citation], content: bytes, ending: str, columns: int = 1) -> Quoted:
    """Look every quote up at its place in the file; Quoted() if the format has no places."""
    if ending == "pdf":
        pages = words_on_pages(content, columns)
        return sum((_on_page(citation, pages) for citation in citations), Quoted())
    places = texts_at_places(content, ending)
    if not places:
        return Quoted()
    return sum((_at_place(citation, places) for citation in citations), Quoted())


def _at_place(citation: Citation, places: Mapping[str | int, str]) -> Quoted:
    words = words_of(citation.plain)
    place = _place(citation.location)
    if not words or _is_before_all_places(place, words, places):
        return Quoted()
    right = place is not None and f" {' '.join(words)} " in places.get(place, "")
    return Quoted(1, int(right), 0, () if right else (f"{place}: {citation.plain[:80]}",))


def _is_before_all_places(
    place: str | int | None, words: Sequence[str], places: Mapping[str | int, str]
) -> bool:
    """Return whether no place is given and none would be right, as before the first heading."""
    return place is None and not any(f" {' '.join(words)} " in text for text in places.values())


def _place(at: Location | None) -> str | int | None:
    return None if at is None else at.slide or at.row or at.cell or at.anchor


def _on_page(citation: Citation, pages: Sequence[Sequence[PageWord]]) -> Quoted:
    words, at = words_of(citation.plain), citation.location
    if not words:
        return Quoted()
    if at is None or at.page is None:
        return Quoted(1, wrong=(f"no page: {citation.plain[:80]}",))
    here = pages[at.page - 1 : at.page + 1]
    if citation.quote.lstrip().startswith("|"):
        # A row of a table: the lines of its cells mix on the page.
        inside = {word.text for word in here[0] if _is_inside(word, at.boxes)}
        placed, covered = set(words) <= {word.text for word in here[0]}, set(words) <= inside
    else:
        occurrences = list(_occurrences(words, here))
        placed = bool(occurrences)
        covered = any(all(_is_inside(word, at.boxes) for word in one) for one in occurrences)
    what = "not there" if not placed else "" if covered else "not covered"
    wrong = (f"page {at.page}, {what}: {citation.plain[:80]}",) if what else ()
    return Quoted(1, int(placed), int(covered), wrong)


def _occurrences(
    words: Sequence[str], pages: Sequence[Sequence[PageWord]]
) -> Iterator[Sequence[PageWord]]:
    """Yield what of a quote stands on the first of these pages; its end may be on the next."""
    first = pages[0] if pages else []
    following = [*first, *(word for page in pages[1:] for word in page[: len(words)])]
    texts = [word.text for word in following]
    for start, word in enumerate(first):
        if word.text == words[0] and texts[start : start + len(words)] == list(words):
            yield first[start : start + len(words)]


def _is_inside(word: PageWord, boxes: Sequence[Box]) -> bool:
    return any(
        left <= word.x <= left + width and top <= word.y <= top + height
        for left, top, width, height in boxes
    )
