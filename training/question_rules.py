"""Decides which written questions are fit for training, and which sentence answers each."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sourcebook.search.words import content_words
from sourcebook.text.segments import split_segments
from training.sources import AskedQuestion, Passage

MIN_QUESTION_WORDS = 4
MAX_QUESTION_WORDS = 40
# An answer with fewer of its words in the passage was made up, or says something else.
MIN_ANSWER_SHARE = 0.5
# A sentence that answers has at least half of the answer's words.
MIN_SENTENCE_SHARE = 0.5
# Questions that only a reader of the passage understands.
_POINTS_AT_TEXT = re.compile(
    r"\b(?:(?:this|the|given|above|provided|following) (?:text|passage|document|paragraph|article"
    r"|example|code|snippet|excerpt|context|statement|sentence|section|table|list)|mentioned"
    r"|described here|here|these|those|above)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^[\s\d.)*#>-]+|\*+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """What can be quoted of a passage: text[start:end]."""

    start: int
    end: int
    words: frozenset[str]
    is_code: bool = False


def sentences_of(passage: Passage) -> tuple[Sentence, ...]:
    """The sentences, items, rows and code of a passage, as the service splits them."""
    found = []
    for piece in split_segments(passage.text):
        words = frozenset(content_words(passage.text[piece.start : piece.end]))
        if words and piece.kind not in {"heading", "header"}:
            found.append(Sentence(piece.start, piece.end, words, piece.kind == "code"))
    return tuple(found)


def with_sentences(passage: Passage, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """A passage as it is kept, with the places of its sentences."""
    return asdict(passage) | {"sentences": [(one.start, one.end) for one in sentences]}


def cleaned(question: str) -> str | None:
    """The question without marks; None if it is none, or points at a text that nobody sees."""
    text = " ".join(_MARKS.sub("", question).split())
    count = len(text.split())
    if not text.endswith("?") or not MIN_QUESTION_WORDS <= count <= MAX_QUESTION_WORDS:
        return None
    return None if _POINTS_AT_TEXT.search(text) or text.count("?") > 1 else text


def is_grounded(asked: AskedQuestion, sentences: Sequence[Sentence]) -> bool:
    """Return whether the words of the answer stand in the passage."""
    answer = frozenset(content_words(asked.answer))
    known = frozenset().union(*(one.words for one in sentences))
    return len(answer) >= 2 and len(answer & known) >= MIN_ANSWER_SHARE * len(answer)


def answer_shares(answer: str, sentences: Sequence[Sentence]) -> list[float]:
    """How much each sentence has in common with an answer; nothing if none has half of it.

    By the words of both, so that a paragraph in one sentence does not win everywhere.
    """
    words = frozenset(content_words(answer))
    if not any(len(words & one.words) >= MIN_SENTENCE_SHARE * len(words) for one in sentences):
        return []
    return [round(2 * len(words & o.words) / (len(words) + len(o.words)), 3) for o in sentences]
