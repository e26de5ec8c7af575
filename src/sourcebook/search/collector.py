"""Asks several collections at once, and says whether what they have is a match."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.errors import NotFound, RetrievalUnavailable, SourcebookError
from sourcebook.core.shortening import shortened
from sourcebook.search.embed_once import EmbedOnce
from sourcebook.search.merging import Collected, best_first
from sourcebook.search.searcher import Found, Searcher
from sourcebook.search.verdicts import Verdict, verdict_on

log = logging.getLogger(__name__)

WITHIN_S = 10.0
AT_ONCE = 8
LONGEST_DETAILS = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """A collection that could not be asked."""

    collection: str
    error: SourcebookError


@dataclass(frozen=True, slots=True)
class Harvest:
    """What the collections have, best first, and those that could not be asked.

    A match is what one collection has; a partial one is of all that have something.
    """

    verdict: Verdict
    documents: tuple[Collected, ...]
    failures: tuple[Failure, ...] = ()


class Collector:
    """Searches collections together, each with its own model and its own thresholds."""

    def __init__(
        self, searcher: Searcher, *, within_s: float = WITHIN_S, at_once: int = AT_ONCE
    ) -> None:
        self._searcher = searcher
        self._within_s = within_s
        self._at_once = at_once

    async def collect(self, text: str, names: Sequence[str], top_k: int) -> Harvest:
        """What the collections have. One that fails does not fail the others.

        NotFound if there is none of them; RetrievalUnavailable if none could be asked.
        """
        deadline_s = asyncio.get_running_loop().time() + self._within_s
        turns = asyncio.Semaphore(self._at_once)
        async with EmbedOnce() as embedded:

            async def ask(name: str) -> Found | Failure:
                try:
                    async with asyncio.timeout_at(deadline_s), turns:
                        return await self._searcher.search(name, text, top_k, embedded=embedded)
                except TimeoutError:
                    late = f"The search took longer than {self._within_s:g} s"
                    return Failure(name, RetrievalUnavailable(late))
                except SourcebookError as error:
                    return Failure(name, error)
                except Exception:
                    # Anybody can write an embedder or a store, and the others do not need it.
                    log.exception("collection_crashed", extra={"collection": name})
                    return Failure(name, RetrievalUnavailable("The search failed"))

            # In the order in which they were named: the first match wins.
            answers = await asyncio.gather(*(ask(name) for name in dict.fromkeys(names)))
        failures = tuple(answer for answer in answers if isinstance(answer, Failure))
        if len(failures) == len(answers):
            raise _nothing_to_ask(failures)
        return _judged([answer for answer in answers if isinstance(answer, Found)], failures)


def _judged(found: Sequence[Found], failures: tuple[Failure, ...]) -> Harvest:
    verdicts = [(verdict_on(one), one) for one in found]
    for verdict, one in verdicts:
        if verdict == "match":
            return Harvest("match", tuple(Collected(hit, one) for hit in one.hits), failures)
    partial = [one for verdict, one in verdicts if verdict == "partial"]
    if not partial:
        return Harvest("none", (), failures)
    return Harvest("partial", tuple(best_first(partial)), failures)


def _nothing_to_ask(failures: Sequence[Failure]) -> SourcebookError:
    first = failures[0].error
    if all(isinstance(failure.error, NotFound) for failure in failures):
        return NotFound(first.message)
    details = "; ".join(f"{failure.collection}: {failure.error.message}" for failure in failures)
    return RetrievalUnavailable(
        f"None of the collections could be searched. {shortened(details, LONGEST_DETAILS)}"
    )
