"""Questions, answers, citations, and the events that an answer is streamed as."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sourcebook.core.documents import Location, Span
from sourcebook.core.search_modes import SearchMode

Mode: TypeAlias = Literal["general", "selected_text"]
# Whether only what code has borne out leaves, or a model's own words with what they stand on, too.
Grounding: TypeAlias = Literal["strict", "cited"]
# The fields of a source that a question may be narrowed to.
SourceField: TypeAlias = Literal["source_url", "page_title", "section_heading"]
# What became of the conversation: `none` if the question belongs to none.
History: TypeAlias = Literal["none", "saved", "unavailable"]
# Who answers when the language model fails.
Fallback: TypeAlias = Literal["extractive"]

SELECTION_URL = "selected_text"
SELECTION_TITLE = "User Selection"
SELECTION_HEADING = "Selected Text"

NO_INFORMATION = "I don't have information about that in the available documentation"
NOTHING_FOUND = "I couldn't find relevant information in the documentation for your question."
OFFER = "Would you like me to search the full documentation?"


def not_in_selection(topic: str) -> str:
    """What is said when a selection does not hold the answer."""
    return f"The provided selection does not contain information about {topic}. {OFFER}"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of the conversation so far, and what was answered."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class PageHint:
    """The page of a website that a question was asked on, as far as the asker says so."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to know. With a `selection`, from that text alone.

    `book_ids` and `hardware_tier` bind what may be read at all; `sources` narrow it further: each
    field to any of its values. `collections` are those to search; None for the service's own
    choice. `default_book_ids` are the books that are meant if none is named. `previous` is what was
    asked before, if hits near what that finds count more. `search_mode` is what to search by; None
    for the service's default. `earlier` is the conversation so far, of a client that keeps it
    itself, oldest first. `page` is where it was asked; `on_page` if the evidence is that page's
    alone. With `progress`, the events also tell what is known before the answer is complete. With
    `only_openings`, documents of several chunks are searched in their first alone.
    """

    text: str
    session_id: str | None = None
    selection: str | None = None
    top_k: int = 5
    least_score: float | None = None
    sources: Mapping[SourceField, tuple[str, ...]] = field(default_factory=dict)
    book_ids: tuple[str, ...] | None = None
    hardware_tier: int | None = None
    collections: tuple[str, ...] | None = None
    default_book_ids: tuple[str, ...] | None = None
    previous: str = ""
    search_mode: SearchMode | None = None
    earlier: tuple[Turn, ...] = ()
    page: PageHint | None = None
    on_page: bool = False
    progress: bool = False
    only_openings: bool = False
    grounding: Grounding | None = None

    @property
    def mode(self) -> Mode:
        """Where the answer may come from."""
        return "general" if self.selection is None else "selected_text"

    @property
    def is_bound(self) -> bool:
        """Whether it may see less, or other things, than a question without bounds."""
        bounds = (self.book_ids, self.hardware_tier, self.collections)
        return any(bound is not None for bound in bounds)


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that the answer used; the answer's marker `[number]` points to it.

    `quote` is what stands in the source from character `start` to before `end`, from line
    `first_line` to `last_line`; None where the source is not known so exactly. `plain` is what a
    reader sees of the quote: without marks, tags and addresses of links. `location` is where the
    quote stands in the file, if the source was converted from one. `statement` is the part of the
    source that answers best, if all of it is in the quote, and `statement_text` what is read there.
    """

    number: int
    url: str
    title: str
    heading: str
    quote: str
    score: float
    start: int | None = None
    end: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    file: str | None = None
    chunk_id: str | None = None
    document_id: str | None = None
    collection: str | None = None
    book_id: str | None = None
    plain: str = ""
    location: Location | None = None
    statement: Span | None = None
    statement_text: str = ""


@dataclass(frozen=True, slots=True)
class SentenceCounts:
    """What became of the sentences that were written.

    `proven` left as they were, for `quoted` the evidence left word for word, `dropped` had none.
    `judged` left in the model's words, because a judge found them borne by what they cite; `cited`
    ones without that, and `unproven` ones unchecked and marked. The operator allows all three.
    """

    proven: int = 0
    quoted: int = 0
    dropped: int = 0
    unproven: int = 0
    cited: int = 0
    judged: int = 0


@dataclass(frozen=True, slots=True)
class ClosestPlace:
    """A place near to what was asked, perhaps with what stands there."""

    title: str
    heading: str
    url: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """How an answer came about. `answered` is False for a refusal.

    `cut_off` is True if the writer was stopped before it was done: there is more to say.
    `collections` are those that were searched. `search_mode` is what the search went by: `dense` if
    none of them indexes words; None if nothing was searched.
    `answer_probability` is the reader's that the evidence answers; None if it has not read it.
    `closest` are the places nearest to a question that was refused, the first with its text if that
    may help; `further` are places that answer, too, with a line of each. `corrected_question` is
    what was searched for if the question has words that the documents do not know.
    `fallback` is who answered because the language model failed, and `warning` says why it did,
    as readers may know it; `failure` is for whoever runs the service.
    """

    mode: Mode
    model: str
    query_time_ms: float
    chunks_retrieved: int
    answered: bool
    query_strategy: str | None = None
    history: History = "none"
    cut_off: bool = False
    collections: tuple[str, ...] = ()
    fallback: Fallback | None = None
    warning: str | None = None
    failure: str | None = None
    search_mode: SearchMode | None = None
    sentences: SentenceCounts = SentenceCounts()
    answer_probability: float | None = None
    closest: tuple[ClosestPlace, ...] = ()
    further: tuple[ClosestPlace, ...] = ()
    corrected_question: str | None = None


@dataclass(frozen=True, slots=True)
class PlacesFound:
    """The places that are read for an answer, before there is any text; best first, each once."""

    places: tuple[ClosestPlace, ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some more of the answer's text.

    What is `unproven` was not checked against the evidence. Of what is `cited`, in the model's
    words, figures, names and denials were compared with the cited statement, and nothing else;
    what is `judged` was found borne by it, too.
    """

    content: str
    unproven: bool = False
    cited: bool = False
    judged: bool = False


@dataclass(frozen=True, slots=True)
class SourcesUsed:
    """What the answer stands on, once all of its text is out.

    A question that asks for progress also gets what is known so far, before each piece of text that
    cites something new.
    """

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer."""

    facts: AnswerFacts


# `TextPiece`s, then `SourcesUsed`, then `Finished`. An error in between ends the stream.
# Where progress is asked for, `PlacesFound` comes first.
AnswerEvent: TypeAlias = PlacesFound | TextPiece | SourcesUsed | Finished


@dataclass(frozen=True, slots=True)
class Answer:
    """A stream of events, gathered."""

    text: str
    citations: tuple[Citation, ...]
    facts: AnswerFacts
