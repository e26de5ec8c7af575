"""Finds what is quoted in the place of a claim that is not proven."""

import asyncio
import logging
from collections.abc import Sequence

from sourcebook.answering.proof.closest import closest, most_similar, neighbours_with_rest
from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.statement_ids import can_be_quoted
from sourcebook.answering.statements import Quotable
from sourcebook.core.errors import Unavailable
from sourcebook.core.vectors import Vector
from sourcebook.search.words import content_words

log = logging.getLogger(__name__)

# So many statements are compared with a claim by meaning: those that share words with it first.
MAX_COMPARED = 32
# All claims of an answer together may wait so long for vectors. One that is dropped for want of
# them costs less than an answer that is late.
EMBEDDING_BUDGET_S = 5.0


class Replacements:
    """Finds the statement that a claim is about, or the two neighbouring ones that it merges."""

    def __init__(self, embedder: SentenceEmbedder | None = None) -> None:
        self._embedder = embedder
        self._quotable: Sequence[Quotable] = ()
        # Found when they are first needed, in a thread.
        self._known_places: list[int] | None = None
        self._vectors: dict[int, Vector] = {}
        self._left_s = EMBEDDING_BUDGET_S

    def choose_from(self, quotable: Sequence[Quotable]) -> None:
        """Take statements to choose from: those there were, and perhaps more after them."""
        self._quotable = quotable
        self._known_places = None

    def by_words(self, claim: str) -> tuple[int, ...]:
        """The places of what shares the claim's words, in the order of the text."""
        places = self._places()
        found = closest(claim, [self._quotable[place].statement for place in places])
        if found is None:
            return ()
        place = next(place for place in places if self._quotable[place].statement is found)
        return self._with_rest(claim, place)

    def meant(self, claim: str, named: Sequence[int]) -> tuple[int, ...]:
        """The places that a claim names, unless it is clearly about another: ids get mixed up."""
        near = self.by_words(claim)
        among = sorted({*named, *near})
        found = closest(claim, [self._quotable[place].statement for place in among])
        is_other = any(self._quotable[place].statement is found for place in near)
        return near if is_other and not set(near) & set(named) else tuple(named)

    async def by_meaning(self, claim: str) -> tuple[int, ...]:
        """The places of what says the claim in quite other words."""
        if self._embedder is None or self._left_s <= 0:
            return ()
        # Both in threads: of thousands of statements each takes tens of milliseconds.
        places = await asyncio.to_thread(self._sharing_words, claim)
        place = await self._most_similar(claim, places, self._embedder)
        return () if place is None else await asyncio.to_thread(self._with_rest, claim, place)

    async def _most_similar(
        self, claim: str, places: Sequence[int], embedder: SentenceEmbedder
    ) -> int | None:
        unknown = [place for place in places if place not in self._vectors]
        texts = [self._quotable[place].shown for place in unknown]
        now_s = asyncio.get_running_loop().time
        began_s = now_s()
        try:
            async with asyncio.timeout(self._left_s):
                vector, *vectors = await embedder.embed([claim, *texts])
        except (Unavailable, TimeoutError) as error:
            log.warning("claim_not_embedded", extra={"reason": str(error) or "timeout"})
            self._embedder = None
            return None
        finally:
            self._left_s -= now_s() - began_s
        self._vectors |= zip(unknown, vectors, strict=True)
        return most_similar({place: cosine(vector, self._vectors[place]) for place in places})

    def _places(self) -> list[int]:
        if self._known_places is None:
            self._known_places = list(filter(self._can_stand_in, range(len(self._quotable))))
        return self._known_places

    def _can_stand_in(self, place: int) -> bool:
        return self._quotable[place].kind != "code" and can_be_quoted(self._quotable, place)

    def _sharing_words(self, claim: str) -> list[int]:
        claimed = frozenset(content_words(claim))
        shared = {
            place: len(claimed & self._quotable[place].statement.content)
            for place in self._places()
        }
        return sorted(shared, key=lambda place: -shared[place])[:MAX_COMPARED]

    def _with_rest(self, claim: str, place: int) -> tuple[int, ...]:
        """The place of a statement, and of the one beside it that says the rest of a claim."""
        statements = [one.statement for one in self._quotable]
        for beside in neighbours_with_rest(claim, statements, place):
            if self._can_stand_in(beside):
                return (min(place, beside), max(place, beside))
        return (place,)
