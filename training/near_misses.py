"""Makes questions that a passage nearly answers: the subject is there, what is asked is not.

Both rules take words from other written questions of the same documentation, so that nothing but
the passage tells a near miss from a question that is answered.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sourcebook.search.words import content_words
from training.sources import Passage

# How many other attributes or names are tried for a question before it is left out.
MAX_TRIES = 8
_ASKS_FOR_ATTRIBUTE = re.compile(
    r"(?P<before>(?:what|which) (?:is|are|was|were) the )(?P<attribute>[\w\s-]{3,50}?)"
    r"(?P<joint> (?:of|for|in|used by) )(?P<subject>.+)",
    re.IGNORECASE,
)
# Every passage says something of the kind, whether it has the word or not.
_HELD_EVERYWHERE = frozenset(
    content_words(
        "purpose role use usage function goal aim intention meaning definition difference benefit"
        " advantage process way reason importance significance main primary overview behavior"
        " effect name point implication example idea concept feature nature"
    )
)
_NAME = re.compile(r"`[^`]{2,40}`|(?<=\s)[A-Z][\w.]*[A-Z_.]\w*")


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A question that its passage does not answer, although it is about the same.

    `other` is the part of it that the passage does not have.
    """

    passage: int
    question: str
    other: str


def near_misses(
    questions: Sequence[tuple[int, str]], passages: Mapping[int, Passage], random: Random
) -> Iterator[NearMiss]:
    """At most one of each kind for each question. They are pairs of a passage and a question."""
    attributes = _by_corpus(questions, passages, _attribute)
    names = _by_corpus(questions, passages, _name)
    for number, question in questions:
        passage = passages[number]
        known = _words(passage) | _HELD_EVERYWHERE
        for make, others in ((_other_attribute, attributes), (_other_name, names)):
            if make(question, "") is None:
                continue
            for _ in range(MAX_TRIES):
                other = random.choice(others[passage.corpus])
                made = make(question, other)
                # One that stands in the passage may be answered there.
                if made and made != question and not _is_held(other, known):
                    yield NearMiss(number, made, other)
                    break


def _other_attribute(question: str, attribute: str) -> str | None:
    found = _ASKS_FOR_ATTRIBUTE.fullmatch(question)
    return f"{attribute}{found['joint']}{found['subject']}" if found else None


def _other_name(question: str, name: str) -> str | None:
    found = _NAME.search(question)
    return question[: found.start()] + name + question[found.end() :] if found else None


def _attribute(question: str) -> str | None:
    found = _ASKS_FOR_ATTRIBUTE.fullmatch(question)
    # With its question word and verb, so that both fit together.
    return found["before"] + found["attribute"] if found else None


def _name(question: str) -> str | None:
    found = _NAME.search(question)
    return found[0] if found else None


def _by_corpus(
    questions: Sequence[tuple[int, str]],
    passages: Mapping[int, Passage],
    read: Callable[[str], str | None],
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number, question in questions:
        part = read(question)
        found.setdefault(passages[number].corpus, [])
        if part:
            found[passages[number].corpus].append(part)
    return found


def _words(passage: Passage) -> frozenset[str]:
    return frozenset(content_words(f"{passage.heading} {passage.text}"))


def _is_held(part: str, known: frozenset[str]) -> bool:
    """Whether half of the words of a part stand in the passage; then it may be answered there."""
    words = frozenset(content_words(part))
    return not words or 2 * len(words & known) >= len(words)
