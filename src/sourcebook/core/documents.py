"""Documents, the chunks that are cut from them, and the hits that a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sourcebook.core.metadata import Metadata

# Where each token of a text begins and ends, in characters.
TokenSpans: TypeAlias = Sequence[tuple[int, int]]
# Left, top, width and height, in shares of the page's width and height.
Box: TypeAlias = tuple[float, float, float, float]
# More chunks than any document has.
MAX_CHUNKS = 10**8
# At most so much text and metadata on a page, but at least one document.
MAX_PAGE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Document:
    """A text that somebody gave us, under an id that is theirs."""

    id: str
    text: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a text, from `start` to before `end`."""

    start: int
    end: int

    def trimmed(self, text: str) -> "Span":
        """Return its part of a text without the white space at either end."""
        inside = text[self.start : self.end]
        start = self.start + len(inside) - len(inside.lstrip())
        return Span(start, max(start, self.start + len(inside.rstrip())))


@dataclass(frozen=True, slots=True)
class Location:
    """Where the characters from `start` to before `end` of a converted text stand in its file.

    Pages, slides, rows of a table and cells of a notebook count from 1. `boxes` are on the page:
    left, top, width and height, in shares of its width and height. `anchor` is a heading's id.
    """

    start: int
    end: int
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    anchor: str | None = None
    slide: int | None = None
    row: int | None = None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """A file as markdown, and where its parts stand in the file.

    The locations are in the order of the text and do not overlap. `title` is what the file says
    of itself, outside of its text. `warnings` say what of the file the text lacks; `unread_pages`
    show something, and have no text.
    """

    text: str
    locations: tuple[Location, ...] = ()
    title: str | None = None
    warnings: tuple[str, ...] = ()
    unread_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a chunk stands in the text of its document.

    Its text is what the spans hold, one after another; mostly there is one. Lines count from 1.
    `overlap` is how many characters at its beginning the chunk before has too. `span_lines` has the
    line that each span begins on; earlier releases did not keep them, then it is empty.
    `locations` say where it stands in the file, if the text was converted from one.
    """

    spans: tuple[Span, ...]
    first_line: int
    last_line: int
    overlap: int = 0
    span_lines: tuple[int, ...] = ()
    locations: tuple[Location, ...] = ()

    @property
    def start(self) -> int:
        """The first character."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """After the last character."""
        return self.spans[-1].end


@dataclass(frozen=True, slots=True)
class Links:
    """A chunk's neighbours in its document, None only at the ends, and how many chunks it has."""

    previous: str | None = None
    next: str | None = None
    total: int = 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that can be found; `ordinal` is its place in reading order."""

    id: str
    document_id: str
    ordinal: int
    text: str
    metadata: Metadata
    extent: Extent | None = None
    links: Links = field(default_factory=Links)


@dataclass(frozen=True, slots=True)
class TermMatch:
    """How well a chunk's terms fit those of a question. Ranks count from 1.

    `relevance` joins similarity and terms, from 0 to 1. The ranks are those among the candidates by
    similarity and by terms; None if the chunk was not found that way. `context` is the similarity
    to what the previous question of a conversation found; None outside a conversation.
    """

    relevance: float
    bm25: float
    dense_rank: int | None
    keyword_rank: int | None
    context: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. `cosine` is the raw similarity, from -1 to 1.

    `rerank_score` is a reranker's, in its own scale: for the order alone, not for thresholds.
    `part` is the part of the chunk that is nearest, if it has several and that is known. `terms`
    is None where only similarity counted.
    """

    chunk: Chunk
    cosine: float
    rerank_score: float | None = None
    part: int | None = None
    terms: TermMatch | None = None

    @property
    def similarity(self) -> float:
        """The cosine from 0 to 1."""
        return min(1.0, max(0.0, self.cosine))

    @property
    def score(self) -> float:
        """The score from 0 to 1 that hits are ordered by and that thresholds apply to."""
        return self.similarity if self.terms is None else self.terms.relevance

    @property
    def distance(self) -> float:
        """The cosine distance from 0 to 2."""
        return 1.0 - self.cosine


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """A document without its text, and which version of it is live. Times are Unix seconds."""

    id: str
    version: str
    metadata: Metadata
    created_at_s: float = 0.0
    updated_at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """How much of a collection has one value of a metadata field; `bytes` are of source texts."""

    value: str
    documents: int
    chunks: int
    bytes: int
    updated_at_s: float


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document and its chunks in reading order, all of the same version."""

    document: Document
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A slice of the documents that match, and how many match in all.

    It may have fewer documents than were asked for: see `MAX_PAGE_BYTES`.
    """

    documents: tuple[Document, ...]
    total: int


def chunk_count(metadata: Metadata) -> int:
    """How many chunks a document has by its metadata, if it is we who wrote them; else one."""
    count = metadata.get("chunk_count")
    ours = "fingerprint" in metadata or "cut_by" in metadata
    return count if ours and isinstance(count, int) and 0 <= count < MAX_CHUNKS else 1
