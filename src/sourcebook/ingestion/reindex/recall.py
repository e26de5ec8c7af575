"""Measures how much of what the old index finds the new one finds too (recall@k)."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.collections import Collection
from sourcebook.core.jobs import Recall
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.ports import Embedder
from sourcebook.core.text import is_blank
from sourcebook.core.vectors import Vector
from sourcebook.ingestion.overload_retry import OverloadRetry

QUESTIONS_KEY = "saved_questions"
MAX_QUESTIONS = 200
RECALL_K = 10

# Finds the ids of the chunks of a collection that are nearest to a vector.
Nearest: TypeAlias = Callable[[Collection, Vector, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class ComparedIndex:
    """A collection with one of its two indexes, and the model of that index."""

    collection: Collection
    embedder: Embedder


async def measure_recall(
    nearest: Nearest,
    old: ComparedIndex,
    new: ComparedIndex,
    questions: Sequence[str],
    retry: OverloadRetry,
) -> Recall | None:
    """Return the recall of the new index, or None if the old one finds nothing to compare with."""

    async def found(side: ComparedIndex, question: str) -> set[str]:
        vector = await retry.call(lambda: side.embedder.embed_query(question))
        return set(await nearest(side.collection, vector, RECALL_K))

    shares = []
    for question in questions:
        if before := await found(old, question):
            after = await found(new, question)
            shares.append(len(before & after) / len(before))
    if not shares:
        return None
    return Recall(len(shares), RECALL_K, sum(shares) / len(shares), min(shares))


def saved_questions(metadata: Metadata) -> tuple[str, ...]:
    """Return the questions in a collection's metadata: a list, or a list as JSON text."""
    saved = metadata.get(QUESTIONS_KEY)
    if isinstance(saved, str):
        saved = _parsed(saved)
    if not isinstance(saved, list):
        return ()
    questions = [item for item in saved if isinstance(item, str) and not is_blank(item)]
    return tuple(questions[:MAX_QUESTIONS])


def _parsed(text: str) -> JsonValue:
    """Parse a list sent as JSON text: some clients can send nothing but text and numbers."""
    try:
        parsed: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed
