"""Finds what is quoted in the place of a claim that is not proven."""

import asyncio
import logging
from collections.abc import Sequence

from sourcebook.answering.proof.closest import closest, most_similar
from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.statement_ids import places_to_quote
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
    """Finds the statement that a claim is about."""

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
        """The place of what shares the claim's words, if something clearly does."""
        return self._closest(claim, self._places())

    def meant(self, claim: str, named: tuple[int, ...]) -> tuple[int, ...]:
        """The places that a claim names, unless it is clearly about another: ids get mixed up."""
        near = self.by_words(claim)
        is_other = not set(near) <= set(named) and self._closest(claim, [*named, *near]) == near
        return near if is_other else named

    async def by_meaning(self, claim: str) -> tuple[int, ...]:
        """The place of what says the claim in quite other words, if something clearly does."""
        if self._embedder is None or self._left_s <= 0:
            return ()
        # In a thread: of thousands of statements it takes tens of milliseconds.
        places = await asyncio.to_thread(self._sharing_words, claim)
        place = await self._most_similar(claim, places, self._embedder)
        return () if place is None else (place,)

    def _closest(self, claim: str, places: Sequence[int]) -> tuple[int, ...]:
        statements = [self._quotable[place].statement for place in places]
        found = closest(claim, statements)
        return () if found is None else (places[statements.index(found)],)

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
            every = places_to_quote(self._quotable)
            self._known_places = [at for at in every if self._quotable[at].kind != "code"]
        return self._known_places

    def _sharing_words(self, claim: str) -> list[int]:
        claimed = frozenset(content_words(claim))
        shared = {
            place: len(claimed & self._quotable[place].statement.content)
            for place in self._places()
        }
        return sorted(shared, key=lambda place: -shared[place])[:MAX_COMPARED]
