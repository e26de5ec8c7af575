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
_QUESTION = re.compile(r"\?[\"'”’)*_]*$")
# What takes back all that stands under it: `Common misconceptions`, `Deprecated`.
_TAKEN_BACK = (
    r"false|incorrect|untrue|wrong|myths?|misconceptions?|fallac(?:y|ies)|rumou?rs?|unless"
    r"|deprecated|removed|obsolete|reject(?:s|ed)?|hypothes[ei]s|counterexamples?|planned|proposed"
    r"|allegations?|used to be"
)
_TAKING_BACK = re.compile(rf"\b(?:{_TAKEN_BACK})\b", re.IGNORECASE)
# What introduces a list and may deny or limit what its items say: `You must not:`, `On Linux:`.
_GOVERNING = re.compile(
    rf"\b(?:{_TAKEN_BACK}|not|never|no|cannot|without|except|if|when|only|avoid|before|after)\b"
    r"|n['’]t\b|^(?:in|for|on|during|under|with|at)\b(?! (?:example|instance|short|addition)\b)",
    re.IGNORECASE,
)
# The same, but as a heading it only names: `Opponents argue:`, `Possible causes:`, `Children:`.
_GOVERNING_WITH_COLON = re.compile(
    r"\b(?:argu(?:e|es|ed)|claim(?:s|ed)?|alleg(?:e|es|ed)|promis(?:e|es|ed)|possible|cases?"
    r"|happens?|exclu(?:de|des|ded|sion|sions)|require(?:s|d|ments?)|criteria|risks?|signs|symptoms"
    r"|differently|formerly|children|adults|patients|users)\b",
    re.IGNORECASE,
)
_OPENING_QUOTE = re.compile(r"(?<![^\s(])[\"“](?=\w)")
_CLOSING_QUOTE = re.compile(r"(?<=[\w.,!?…])[\"”]")
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]*_]*\Z")
_FRAGMENT = re.compile(
    r"(?:in|at|on|by|from|with|under|through|via|as|and|or|but|maybe) "
    r"|.*(?:[,;]|\b(?:and|or))[*_]*\Z",
    re.DOTALL,
)
# What only names or shows something.
NO_STATEMENTS: frozenset[SegmentKind] = frozenset({"heading", "header", "code"})
# What has cells, and may stand under a sentence as items do.
_CELLS: frozenset[SegmentKind] = frozenset({"row", "definition"})
# What introduces nothing, and ends no list that it stands in.
_NO_LEADS: frozenset[SegmentKind] = _CELLS | {"header", "code"}


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

    A row of a table has that table's header, and both have their cells and the number of an
    HTML table; the cells of a definition are its term and its meanings, those of a single fact
    the heading above it and itself. The first sentence of a list's item has the bullet that it
    is shown with, "- " or "3. ", and every item the width of its margin; a later paragraph of
    an item is `in_item`, and has a wider one. What is shown of a row has the cells that span
    it, the first of which is `spanning`. What is nothing but links to other places of the book
    `leads_away`. Its `block` is the whole paragraph, the list with its leader, the table or the
    code with its sentence that it stands in, as a span of the passage's text.
    """

    statement: Statement
    kind: SegmentKind
    block: Span
    header: "Quotable | None" = None
    bullet: str = ""
    indent: int = 0
    cells: tuple[str, ...] = ()
    table: int = 0
    spanning: SpanningCell | None = None
    in_item: bool = False
    leads_away: bool = False

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
    return tuple(
        one
        for passage in passages
        for one in _with_governed(tuple(_with_headers(_statements_of(passage))))
    )


def _with_governed(quotable: Sequence[Quotable]) -> Iterator[Quotable]:
    silent = {*_spoken(quotable), *_taken_back(quotable), *_governed(quotable)}
    for place, one in enumerate(quotable):
        if place in silent:
            yield replace(one, statement=replace(one.statement, is_governed=True))
        else:
            yield one


def governing_lead(quotable: Sequence[Quotable], place: int) -> int | None:
    """The place of what introduces a list or a table, if that may deny or limit what it says.

    What an item introduces stands under what introduces that item, too.
    """
    one = quotable[place]
    # Most lists say what they say: going back over each from each of its items takes too long.
    if not one.statement.is_governed or not (_is_of_list(one) or one.kind in _CELLS):
        return None
    for before in range(place - 1, -1, -1):
        lead = quotable[before]
        if lead.statement.passage != one.statement.passage:
            return None
        if lead.kind in _NO_LEADS or _is_beside(lead, one):
            continue
        if governs(lead):
            return before
        if not _is_of_list(lead) and not _is_under_heading(quotable, before):
            return None
        one = lead
    return None


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


def _governed(quotable: Sequence[Quotable]) -> Iterator[int]:
    """The places that have a `governing_lead`; going back for each takes too long."""
    above: list[tuple[Quotable, bool]] = []
    for place, one in enumerate(quotable):
        if above and above[-1][0].statement.passage != one.statement.passage:
            above = []
        if one.kind in _NO_LEADS:
            if one.kind in _CELLS and above and above[-1][1]:
                yield place
            continue
        if not _is_of_list(one) and not _is_under_heading(quotable, place):
            above = []
        # What a less indented item ends, no later one is under.
        while above and _is_beside(above[-1][0], one):
            above.pop()
        is_governed = bool(above) and above[-1][1]
        if is_governed:
            yield place
        above.append((one, is_governed or governs(one)))


def _is_of_list(one: Quotable) -> bool:
    """Whether it is an item, or a paragraph of one."""
    return one.kind == "item" or one.in_item


def _is_beside(one: Quotable, other: Quotable) -> bool:
    """Whether an item is not over another one."""
    return _is_of_list(one) and _is_of_list(other) and one.indent >= other.indent


def governs(lead: Quotable) -> bool:
    """Whether a heading or a leader may deny or limit what stands under it."""
    text = lead.statement.text
    if not leads_on(text):
        # `Never carry these` before a list is as good as with a colon.
        names = lead.kind == "heading" or (lead.kind == "prose" and not is_ended(text))
        return names and _GOVERNING.search(text) is not None
    return any(words.search(text) for words in (_GOVERNING, _GOVERNING_WITH_COLON))


def _taken_back(quotable: Sequence[Quotable]) -> Iterator[int]:
    """The places of statements under a heading that takes them back."""
    under = False
    for place, one in enumerate(quotable):
        if one.kind == "heading":
            under = _TAKING_BACK.search(one.statement.text) is not None
        elif under:
            yield place


def _spoken(quotable: Sequence[Quotable]) -> Iterator[int]:
    """The places of statements that stand in quotation marks, alone or with their neighbours."""
    opened = 0
    for place, one in enumerate(quotable):
        text = one.statement.text
        first = _OPENING_QUOTE.match(text)
        closing = _CLOSING_QUOTE.search(text)
        if opened > place or (first and (closing is None or closing.end() == len(text))):
            yield place
        left = len(_OPENING_QUOTE.findall(text)) > len(_CLOSING_QUOTE.findall(text))
        if left and opened <= place:
            # As far as it is closed; marks that nothing closes are inches.
            later = range(place + 1, len(quotable))
            closes = (at for at in later if _CLOSING_QUOTE.search(quotable[at].statement.text))
            opened = next(closes, -1) + 1


def _with_headers(quotable: Iterator[Quotable]) -> Iterator[Quotable]:
    """The rows of each table with the header before them."""
    header: Quotable | None = None
    for one in quotable:
        if one.kind == "header":
            # One cell in the middle of a table heads the rows after it, and names no columns.
            header = header if header and len(one.cells) == 1 else one
        elif one.kind != "row" or (header and header.table != one.table):
            header = None
        yield replace(one, header=header) if one.kind == "row" else one


def _statements_of(passage: Passage) -> Iterator[Quotable]:
    language = language_of(passage.text)
    for piece in _segments(passage):
        words = read_words(piece.shown, language)
        statement = Statement(passage.number, piece.start, piece.end, piece.shown, words=words)
        yield Quotable(
            statement,
            piece.kind,
            piece.block,
            bullet=piece.bullet,
            # The later paragraphs of an item are deeper than it, and less deep than its items.
            indent=2 * piece.depth + piece.in_item,
            cells=piece.values,
            table=piece.table,
            spanning=_spanning(piece, passage),
            in_item=piece.in_item,
            leads_away=piece.leads_away,
        )


def _segments(passage: Passage) -> tuple[Segment, ...]:
    known = unpack_segments(passage.kept, passage.text) if passage.kept else None
    if known is not None:
        return known
    return read_text(passage.text, is_selection=passage.source.url == SELECTION_URL)


def _spanning(piece: Segment, passage: Passage) -> SpanningCell | None:
    """The first cell of a row that stands in an earlier row, with the words of all such cells."""
    if piece.kind != "row" or not piece.cells:
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
        if lead.kind in _NO_LEADS or _is_beside(lead, one):
            continue
        if not _is_of_list(lead):
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


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does; a line of a list or a title does not."""
    return _ENDED.search(text) is not None


def leads_on(text: str) -> bool:
    """Whether a text ends with a colon, so that something comes after it."""
    return text.rstrip("*_ ").endswith((":", "："))


def in_one_line(text: str) -> str:
    """A sentence without its line breaks, and without the marks of a quotation after them."""
    return " ".join(_MARKS_OF_QUOTATION.sub("\n", text).split())


def _text(one: Quotable) -> str:
    return one.statement.text
