"""Statements: the sentences of the evidence, some with their vectors."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sourcebook.answering.citations import MAX_PARTS, MAX_QUOTE_LENGTH, parts_of
from sourcebook.answering.evidence import Passage
from sourcebook.answering.sentence_embedder import SentenceEmbedder
from sourcebook.core.answers import SELECTION_URL
from sourcebook.core.documents import Span
from sourcebook.core.vectors import Vector
from sourcebook.search.words import Word, content_words, language_of, read_words
from sourcebook.text.governing import CELLS, NO_LEADS, is_beside, leads_on, may_govern
from sourcebook.text.kept_segments import unpack_segments
from sourcebook.text.segments import Segment, SegmentKind
from sourcebook.text.shown import read_text, show_row

# So many sentences are embedded for one answer; those that share no word with the question go
# first. Of 60 questions with five passages each, all get the same answer as with every sentence
# embedded, and of those with twenty passages 51; but ten readers at once would wait twice as long.
MAX_EMBEDDED = 32


_LEANS_BACK = re.compile(
    r"(?:this|that|these|those|it|its|they|them|their|he|she|his|her|such|here|there|so|then|thus"
    r"|however|instead|otherwise|both|neither|for (?:example|instance)|e\.g\."
    r"|er|sie|es|dies|diese[mnrs]?|dabei|damit|dort|il|elle|ils|elles|ceci|cela|esto|ello)(?!\w)",
    re.IGNORECASE,
)
_MARKS_OF_QUOTATION = re.compile(r"[\r\n](?:[ \t]*+>)++")
_QUESTION = re.compile(r"[?？؟][\"'”’」』）)*_]*$")
_FRAGMENT = re.compile(
    r"(?:in|at|on|by|from|with|under|through|via|as|and|or|but|maybe) "
    r"|.*(?:[,;]|\b(?:and|or))[*_]*\Z",
    re.DOTALL,
)
# What only names or shows something.
NO_STATEMENTS: frozenset[SegmentKind] = frozenset({"heading", "header", "code"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the evidence: where it stands in the text of which passage.

    Its text is what a reader sees of it, without marks; that of code is as written. Its words are
    read once, because they are looked at many times. A governed one says nothing by itself: what
    introduces its list denies or limits it, or it is part of what somebody says.
    """

    passage: int
    start: int
    end: int
    text: str
    vector: Vector | None = None
    words: tuple[Word, ...] = field(default=(), repr=False, compare=False)
    is_governed: bool = False

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", read_words(self.text))

    @property
    def content(self) -> frozenset[str]:
        """The stems of its words that carry meaning."""
        return frozenset(word.stem for word in self.words if word.kind == "content")


@dataclass(frozen=True, slots=True)
class SpanningCell:
    """Where the quote of a row of an HTML table begins with cells of earlier rows; their stems.

    That is where the first of them begins, unless there is too much in between.
    """

    start: int
    content: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quotable:
    """A statement, and what kind of text it is.

    Its segment tells its kind, the block that it stands in, its bullet and its cells; a row has the
    header of its table. What is shown of a row has the cells that span it, the first of which is
    `spanning`.
    """

    statement: Statement
    segment: Segment
    header: "Quotable | None" = None
    spanning: SpanningCell | None = None

    @property
    def kind(self) -> SegmentKind:
        return self.segment.kind

    @property
    def block(self) -> Span:
        return self.segment.block

    @property
    def bullet(self) -> str:
        return self.segment.bullet

    @property
    def indent(self) -> int:
        return self.segment.margin

    @property
    def cells(self) -> tuple[str, ...]:
        return self.segment.values

    @property
    def in_item(self) -> bool:
        return self.segment.in_item

    @property
    def leads_away(self) -> bool:
        return self.segment.leads_away

    @property
    def can_stand_alone(self) -> bool:
        """Whether it says something by itself: no name of something, no code, no question."""
        return self.kind not in NO_STATEMENTS and not self.is_question and not self.leads_away

    @property
    def is_question(self) -> bool:
        """Whether it asks; what answers it comes next."""
        return not self.leads_away and _QUESTION.search(self.statement.text) is not None

    @property
    def is_fact(self) -> bool:
        """Whether it is a line such as `Default: 30`, which its heading has the name of."""
        return self.kind == "prose" and bool(self.cells)

    @property
    def is_numbered(self) -> bool:
        """Whether it begins an item of a numbered list."""
        return self.bullet[:1].isdigit()

    @property
    def shown(self) -> str:
        """How it is quoted: a row with the names of its columns, a meaning after its term."""
        if self.kind == "definition" or self.is_fact:
            term, *meanings = self.cells
            return " ".join([term if term.endswith(("?", ":")) else f"{term}:", *_ended(meanings)])
        if self.kind != "row":
            return self.statement.text
        return show_row(self.header.cells if self.header else (), self.cells)

    @property
    def content(self) -> frozenset[str]:
        """The stems of the words that it is found by: a row also by the names of its columns."""
        named = self.header.statement.content if self.header else frozenset()
        spanning = self.spanning.content if self.spanning else frozenset()
        return self.statement.content | named | spanning

    @property
    def cited(self) -> Span:
        """What its citation quotes: with a cell that spans a row the rows between, if not long."""
        start, end = self.statement.start, self.statement.end
        if self.spanning and end - self.spanning.start <= MAX_QUOTE_LENGTH:
            start = self.spanning.start
        return Span(start, end)


def _ended(meanings: Sequence[str]) -> Iterator[str]:
    """Several meanings, each with an end."""
    for number, one in enumerate(meanings, 1):
        yield one if number == len(meanings) or one.endswith((".", "!", "?")) else f"{one};"


def read_statements(passages: Sequence[Passage]) -> tuple[Quotable, ...]:
    """Everything that the passages say, in order."""
    return tuple(one for passage in passages for one in _with_headers(_statements_of(passage)))


def governing_lead(quotable: Sequence[Quotable], place: int) -> int | None:
    """The place of what introduces a list or a table, if that may deny or limit what it says.

    What an item introduces stands under what introduces that item, too.
    """
    one = quotable[place]
    # Most lists say what they say: going back over each from each of its items takes too long.
    if not one.statement.is_governed or not (one.segment.is_of_list or one.kind in CELLS):
        return None
    for before in range(place - 1, -1, -1):
        lead = quotable[before]
        if lead.statement.passage != one.statement.passage:
            return None
        if lead.kind in NO_LEADS or is_beside(lead.segment, one.segment):
            continue
        if governs(lead):
            return before
        if not lead.segment.is_of_list and not _is_under_heading(quotable, before):
            return None
        one = lead
    return None


def governing_lead_of_each(quotable: Sequence[Quotable]) -> list[int | None]:
    """The `governing_lead` of each: going back from every item of a list takes too long."""
    leads: list[int | None] = []
    # What the next one may stand under, and the nearest of it that governs.
    above: list[tuple[Quotable, int | None]] = []
    for place, one in enumerate(quotable):
        if above and above[-1][0].statement.passage != one.statement.passage:
            above = []
        if one.kind not in NO_LEADS:
            if not one.segment.is_of_list and not _is_under_heading(quotable, place):
                above = []
            while above and is_beside(above[-1][0].segment, one.segment):
                above.pop()
        lead = above[-1][1] if above else None
        may_have_one = one.statement.is_governed and (one.segment.is_of_list or one.kind in CELLS)
        leads.append(lead if may_have_one else None)
        if one.kind not in NO_LEADS:
            above.append((one, place if governs(one) else lead))
    return leads


def governs(lead: Quotable) -> bool:
    """Whether a heading or a leader may deny or limit what stands under it."""
    return may_govern(lead.segment)


def _is_under_heading(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a heading stands directly under another one."""
    two = quotable[max(place - 1, 0) : place + 1]
    return len(two) > 1 and {one.kind for one in two} == {"heading"}


def governing_leads(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The places of all that may deny or limit something: its list's lead, that one's, and so on.

    The outermost comes first.
    """
    leads: list[int] = []
    lead = governing_lead(quotable, place)
    while lead is not None:
        leads.append(lead)
        lead = governing_lead(quotable, lead)
    return tuple(reversed(leads))


def _with_headers(quotable: Iterator[Quotable]) -> Iterator[Quotable]:
    """The rows of each table with the header before them."""
    header: Quotable | None = None
    for one in quotable:
        if one.kind == "header":
            # One cell in the middle of a table heads the rows after it, and names no columns.
            header = header if header and len(one.cells) == 1 else one
        elif one.kind != "row" or (header and header.segment.table != one.segment.table):
            header = None
        yield replace(one, header=header) if one.kind == "row" else one


def _statements_of(passage: Passage) -> Iterator[Quotable]:
    language = language_of(passage.text)
    for piece in _segments(passage):
        words = read_words(piece.shown, language)
        statement = Statement(
            passage.number,
            piece.start,
            piece.end,
            piece.shown,
            words=words,
            is_governed=piece.is_governed,
        )
        yield Quotable(statement, piece, spanning=_spanning(piece, passage))


def _segments(passage: Passage) -> tuple[Segment, ...]:
    known = unpack_segments(passage.kept, passage.text) if passage.kept else None
    if known is not None:
        return known
    return read_text(passage.text, is_selection=passage.source.url == SELECTION_URL)


def _spanning(piece: Segment, passage: Passage) -> SpanningCell | None:
    """What a row has of earlier rows, or a fact of its heading, with the words of that."""
    if not piece.cells:
        return None
    every = zip(piece.cells, piece.values, strict=True)
    cells = [(cell, said) for cell, said in every if cell.start < min(cell.end, piece.start)]
    if not cells:
        return None
    words = " ".join(said for _, said in cells)
    start = min(cell.start for cell, _ in cells)
    if len(parts_of(passage, Span(start, piece.end))) > MAX_PARTS:
        # Of so many parts one is cited, which would be that of another row.
        start = piece.start
    return SpanningCell(start, frozenset(content_words(words)))


async def embed_statements(
    question: str, quotable: Sequence[Quotable], embedder: SentenceEmbedder
) -> tuple[Vector, tuple[Quotable, ...]]:
    """The question's vector, and the statements with theirs, as far as they are worth it."""
    asked = frozenset(content_words(question))
    prose = [place for place, one in enumerate(quotable) if one.kind not in NO_STATEMENTS]
    # Stable: among equals the nearer passage and the earlier sentence come first.
    prose.sort(key=lambda place: -len(asked & quotable[place].statement.content))
    chosen = prose[:MAX_EMBEDDED]
    vector, *vectors = await embedder.embed(
        [question, *(_text(quotable[place]) for place in chosen)]
    )
    known = dict(zip(chosen, vectors, strict=True))
    return vector, tuple(
        replace(one, statement=replace(one.statement, vector=known.get(place)))
        for place, one in enumerate(quotable)
    )


def with_antecedent(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """A statement's place, after those of what it cannot be understood without."""
    one, before = quotable[place], place - 1
    leans = (
        before >= 0
        and quotable[before].kind == one.kind == "prose"
        and quotable[before].statement.passage == one.statement.passage
        and (_LEANS_BACK.match(one.statement.text) or _leads_and_governs(quotable[before]))
    )
    whole = (before, place) if leans else (place,)
    leads = {*governing_leads(quotable, whole[0]), *_begun_before(quotable, whole[0])}
    return (*sorted(leads), *whole)


def _begun_before(quotable: Sequence[Quotable], place: int) -> tuple[int, ...]:
    """The places of the items and the leader that an item goes on from, if it is no sentence."""
    one, found = quotable[place], list[int]()
    if not is_fragment(one):
        return ()
    for before in range(place - 1, -1, -1):
        lead = quotable[before]
        if lead.statement.passage != one.statement.passage:
            break
        if lead.kind in NO_LEADS or is_beside(lead.segment, one.segment):
            continue
        if not lead.segment.is_of_list:
            return (*found, before) if leads_on(lead.statement.text) else tuple(found)
        found.append(before)
        one = lead
    return tuple(found)


def is_fragment(one: Quotable) -> bool:
    """Whether an item is only a part of a sentence: `in a vault`, `a key for the disk,`."""
    return one.kind == "item" and _FRAGMENT.match(one.statement.text) is not None


def _leads_and_governs(before: Quotable) -> bool:
    """Whether a leader denies or limits what comes next, be it a list or not."""
    return leads_on(before.statement.text) and governs(before)


def in_one_line(text: str) -> str:
    """A sentence without its line breaks, and without the marks of a quotation after them."""
    return " ".join(_MARKS_OF_QUOTATION.sub("\n", text).split())


def _text(one: Quotable) -> str:
    return one.statement.text
