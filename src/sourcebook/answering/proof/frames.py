"""Frames: who does what to whom, where and on which condition, one for each clause."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sourcebook.answering.proof.tokens import Tokens


class Noun(NamedTuple):
    """A noun phrase: what `and` or `or` joins in it, and which of the two."""

    items: tuple[Tokens, ...]
    join: str = ""


class Phrase(NamedTuple):
    """A preposition with its noun; `late` says that it stands after the verb.

    `about` is the subject or object that it follows, and may describe.
    """

    name: str
    noun: Noun
    late: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """A clause. Active and passive are the same: the agent does it, the patient bears it.

    `phrases` are prepositions with their nouns, `clauses` what `if`, `to` or `that` opens, with
    the clause. `signs` are `not`, `must`, adverbs and the sign of an order.
    """

    verb: str
    agent: Noun | None = None
    patient: Noun | None = None
    phrases: tuple[Phrase, ...] = ()
    clauses: tuple[tuple[str, "Frame"], ...] = ()
    signs: frozenset[str] = frozenset()
    past: bool = False
    # Whether it is said in passing, and nothing else in the sentence governs it.
    apart: bool = False


def parts_of(frame: Frame) -> Iterator[Frame]:
    """A frame and those that stand inside of it."""
    yield frame
    for _, clause in frame.clauses:
        yield from parts_of(clause)
