"""Searches several collections at once, and judges whether what they hold is a match."""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.errors import (
    InvalidInput,
    NotFound,
    RetrievalDelayed,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.metadata import Metadata
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.text import shorten
from sourcebook.search.fusion import CollectionHit, best_first
from sourcebook.search.query_embedding_cache import QueryEmbeddingCache
from sourcebook.search.searcher import Searcher, SearchResult

log = logging.getLogger(__name__)
MatchLevel: TypeAlias = Literal["match", "partial", "none"]
COLLECT_TIMEOUT_S = 10.0
MAX_CONCURRENT = 8
MAX_DETAILS_LENGTH = 500
# Distances; what is nearer counts.
MATCH_THRESHOLD = 0.3
PARTIAL_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class CollectionFailure:
    """A collection that could not be asked."""

    collection: str
    error: SourcebookError


@dataclass(frozen=True, slots=True)
class CollectedHits:
    """What the collections have, best first, and those that could not be asked.

    A match is what one collection has; a partial one is of all that have something. `searches` are
    those of all collections that could be asked, also of those that have nothing.
    """

    verdict: MatchLevel
    documents: tuple[CollectionHit, ...]
    failures: tuple[CollectionFailure, ...] = ()
    searches: tuple[SearchResult, ...] = ()


class Collector:
    """Searches collections together, each with its own model and its own thresholds."""

    def __init__(
        self,
        searcher: Searcher,
        *,
        timeout_s: float = COLLECT_TIMEOUT_S,
        at_once: int = MAX_CONCURRENT,
    ) -> None:
        self._searcher = searcher
        self._timeout_s = timeout_s
        self._at_once = at_once

    async def collect(
        self,
        text: str,
        names: Sequence[str],
        top_k: int,
        *,
        previous: str = "",
        mode: SearchMode | None = None,
    ) -> CollectedHits:
        """What the collections have. One that fails does not fail the others.

        NotFound if there is none of them, InvalidInput if none can be searched in this mode;
        RetrievalUnavailable if none could be asked.
        """
        deadline_s = asyncio.get_running_loop().time() + self._timeout_s
        turns = asyncio.Semaphore(self._at_once)
        async with QueryEmbeddingCache() as embedded:

            async def ask(name: str) -> SearchResult | CollectionFailure:
                try:
                    async with asyncio.timeout_at(deadline_s), turns:
                        return await self._searcher.search(
                            name, text, top_k, embedded=embedded, previous=previous, mode=mode
                        )
                except TimeoutError:
                    late = f"The search took longer than {self._timeout_s:g} s"
                    return CollectionFailure(name, RetrievalDelayed(late))
                except SourcebookError as error:
                    _log(name, error)
                    return CollectionFailure(name, error)
                except Exception:
                    # Anybody can write an embedder or a store, and the others do not need it.
                    log.exception("collection_crashed", extra={"collection": name})
                    return CollectionFailure(name, RetrievalDelayed("The search failed"))

            # In the order in which they were named: the first match wins.
            answers = await asyncio.gather(*(ask(name) for name in dict.fromkeys(names)))
        failures = tuple(answer for answer in answers if isinstance(answer, CollectionFailure))
        if len(failures) == len(answers):
            raise _nothing_to_ask(failures)
        return _judged([answer for answer in answers if isinstance(answer, SearchResult)], failures)


def match_level(found: SearchResult) -> MatchLevel:
    """What the nearest candidate of a collection is worth."""
    about = found.collection.metadata
    if found.least_distance is None:
        return "none"
    if found.least_distance < _threshold(about, "match_threshold", MATCH_THRESHOLD):
        return "match"
    if found.least_distance < _threshold(about, "partial_threshold", PARTIAL_THRESHOLD):
        return "partial"
    return "none"


def _judged(
    found: Sequence[SearchResult], failures: tuple[CollectionFailure, ...]
) -> CollectedHits:
    verdicts = [(match_level(one), one) for one in found]
    for verdict, one in verdicts:
        if verdict == "match":
            hits = tuple(CollectionHit(hit, one) for hit in one.hits)
            return CollectedHits("match", hits, failures, tuple(found))
    partial = [one for verdict, one in verdicts if verdict == "partial"]
    if not partial:
        return CollectedHits("none", (), failures, tuple(found))
    return CollectedHits("partial", tuple(best_first(partial)), failures, tuple(found))


def _nothing_to_ask(failures: Sequence[CollectionFailure]) -> SourcebookError:
    first = failures[0].error
    if all(isinstance(failure.error, NotFound) for failure in failures):
        return NotFound(first.message)
    refused = [one.error for one in failures if isinstance(one.error, InvalidInput)]
    if refused and all(isinstance(one.error, InvalidInput | NotFound) for one in failures):
        return refused[0]
    details = "; ".join(
        f"{failure.collection}: {failure.error.public_message}" for failure in failures
    )
    return RetrievalDelayed(
        f"None of the collections could be searched. {shorten(details, MAX_DETAILS_LENGTH)}"
    )


def _log(collection: str, error: SourcebookError) -> None:
    if isinstance(error, Unavailable):
        # Readers are told less than this.
        about = {"collection": collection, "reason": error.message}
        log.warning("collection_not_searched", extra=about)


def _threshold(about: Metadata, field: str, default: float) -> float:
    """The number that the metadata have, which clients also store as text; else the default."""
    value = about.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return default
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return default
    return number if math.isfinite(number) else default
