"""After most of a collection was deleted, a search costs little more than before."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

from sourcebook.core.documents import Chunk
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.health import BuiltIn
from sourcebook.core.indexes import new_collection
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, PointRef, ScoredPoint, TermMatches
from sourcebook.search.live_index import LiveIndex
from tests.fakes import CountsNoTerms, FakeEmbedder

POINTS = 20_000
ALIVE = range(POINTS - 5, POINTS)
MAX_ASKED = 5
# What is looked at before it is known that most is dead.
MAX_DEEP = 100


class MostlyDead(CountsNoTerms, BuiltIn):
    """An index of many points, and a ledger that only knows the last of them."""

    finds_terms = True

    def __init__(self) -> None:
        self.asked = 0
        self.deepest = 0
        ids = [point_ids(str(n), "v", 1)[0] for n in range(POINTS)]
        self.refs = [PointRef(id_, str(n), str(n), "v", "") for n, id_ in enumerate(ids)]

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        refs = [ref for ref in self.refs if not query.among or ref.id in query.among]
        self.deepest = max(self.deepest, min(query.limit, len(refs)))
        points = [ScoredPoint(ref, 1 - place / POINTS) for place, ref in enumerate(refs)]
        return points[: query.limit]

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        found = await self.search(index_id, query)
        return TermMatches(tuple(found), {}, is_everything=len(found) < query.limit)

    async def chunks_at(
        self, collection_id: str, revision: int, refs: Sequence[PointRef]
    ) -> Mapping[tuple[str, str], Chunk]:
        self.asked += 1
        live = [ref for ref in refs if int(ref.chunk_id) in ALIVE]
        return {
            (ref.chunk_id, ref.version): Chunk(ref.chunk_id, ref.document_id, 0, "text", {})
            for ref in live
        }

    async def live_at(self, collection_id: str, revision: int) -> set[tuple[str, str]]:
        self.asked += 1
        return {(str(n), "v") for n in ALIVE}


async def test_what_is_left_is_found_with_few_questions_to_the_ledger() -> None:
    world = MostlyDead()
    ledger = cast(Ledger, SimpleNamespace(documents=world))
    index = LiveIndex(ledger, world, new_collection("c", {}, FakeEmbedder()))

    hits, _ = await index.best(IndexQuery((1.0, 0.0), 5), 1, "hybrid")

    assert {int(hit.chunk.id) for hit in hits} == set(ALIVE)
    assert world.asked <= MAX_ASKED
    assert world.deepest <= MAX_DEEP


async def test_what_is_left_is_found_by_similarity_alone() -> None:
    world = MostlyDead()
    ledger = cast(Ledger, SimpleNamespace(documents=world))
    collection = new_collection("c", {}, FakeEmbedder())
    index = LiveIndex(ledger, world, collection)

    hits, _ = await index.nearest((1.0, 0.0), 5, EVERYTHING)

    assert {int(hit.chunk.id) for hit in hits} == set(ALIVE)
    assert world.deepest <= MAX_DEEP
