"""What readers tell an author: questions that were not answered, and marks on what they got."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.answers import ClosestPlace

Verdict: TypeAlias = Literal["right", "wrong"]
# A refusal that is right is for a question that the documents do not answer.
MarkedThing: TypeAlias = Literal["answer", "refusal", "hit"]

_NOT_A_WORD = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """A question that was refused, as it was asked last, and how often. Times are Unix seconds.

    `key` is the same for every way of writing it. `closest` are the places nearest to it.
    """

    key: str
    book_id: str
    question: str
    count: int
    first_asked_at_s: float
    last_asked_at_s: float
    closest: tuple[ClosestPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """What a reader thinks of an answer, a refusal or a hit, and why.

    `sources` are the paths, or the ids of documents, that the answer cites or the hit is from.
    """

    id: str
    question: str
    about: MarkedThing
    verdict: Verdict
    marked_at_s: float
    reason: str = ""
    sources: tuple[str, ...] = ()


def question_key(book_id: str, question: str) -> str:
    """Return what questions have in common that differ in case, spaces and punctuation alone."""
    words = _NOT_A_WORD.sub(" ", unicodedata.normalize("NFKC", question).casefold()).strip()
    text = f"{book_id}\n{words or question}"
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
