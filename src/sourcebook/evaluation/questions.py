"""A question set: what is asked, which documents hold the answer, and what the answer is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some lines of a file, from 1, both included."""

    path: str
    first: int
    last: int

    def shared(self, other: "FileLines") -> range:
        """The lines that they have in common."""
        if self.path != other.path:
            return range(0)
        return range(max(self.first, other.first), min(self.last, other.last) + 1)

    def __str__(self) -> str:
        last = "" if self.last == self.first else f"-{self.last}"
        return f"{self.path}:{self.first}{last}"


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """Lines that answer, and the words of them that say it, if the set names these.

    Of a comparison, `side` is the side that they answer, or None for all of it.
    """

    lines: FileLines
    side: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question and what is known about its answer.

    `relevant` has a grade for each id that was judged, 0 for one that is wrong. An id names a
    document, the path of its source, or a chunk. `answer` is a text that a good citation holds.
    `places` are lines that answer, any of them, or any of each side. `answerable` is None if nobody
    has said. `earlier` are the questions before it, oldest first. `tuned_on` is true of a question
    that rules or settings were chosen with.
    """

    id: str
    text: str
    relevant: Mapping[str, int] = field(default_factory=dict)
    answer: str | None = None
    answerable: bool | None = None
    earlier: tuple[str, ...] = ()
    places: tuple[AnswerPlace, ...] = ()
    tuned_on: bool = False

    @property
    def is_searchable(self) -> bool:
        """True if the set names a document that should be found."""
        return any(grade > 0 for grade in self.relevant.values())

    @property
    def has_answer(self) -> bool | None:
        """Whether the documents answer it; a text or a place of the answer says so, too."""
        if self.answerable is None and (self.answer is not None or self.places):
            return True
        return self.answerable

    @property
    def knows_where(self) -> bool:
        """Whether the set says where the answer stands, so that citations can be judged."""
        return bool(self.has_answer) and (self.answer is not None or bool(self.places))

    @property
    def conversation(self) -> str:
        """What the conversation began with; its questions are not independent of one another."""
        return self.earlier[0] if self.earlier else self.text


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions under one name."""

    name: str
    questions: tuple[JudgedQuestion, ...]

    def first(self, limit: int | None) -> "QuestionSet":
        """Return the set with its first questions only; None for all of them."""
        return self if limit is None else replace(self, questions=self.questions[:limit])
