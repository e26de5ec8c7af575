"""What a mirror does with chunks of which the ledger lacks something."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import update

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, OneOf
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import IndexQuery, SparseVector
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.sql_ledger import SqlLedger
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.testing.points import EAST, INDEX, NORTH, SPEC, names, point, query
from tests.contract.mirrored_store import MirroredStore, WrittenTerms

HAMMER = 7


class CountingTerms(WrittenTerms):
    """Counts the texts that are read."""

    def __init__(self) -> None:
        self.texts = 0

    def document(self, text: str, fields: Sequence[str] = ()) -> SparseVector:
        self.texts += 1
        return super().document(text, fields)


@pytest.fixture
async def filled(ledger: Ledger) -> Ledger:
    store = MirroredStore(ledger)
    await store.create(SPEC)
    sparse = SparseVector((HAMMER,), (1.0,))
    await store.upsert(INDEX, [point("a", EAST, sparse=sparse), point("b", NORTH)])
    return ledger


def by_term(dense: Sequence[float] = EAST) -> IndexQuery:
    return IndexQuery(dense, 10, sparse=SparseVector((HAMMER,), (1.0,)))


async def test_terms_are_read_once_for_all_processes(filled: Ledger) -> None:
    first, second = CountingTerms(), CountingTerms()
    for terms in (first, second):
        found = await MirrorStore(filled.mirrors, terms).match(INDEX, by_term())
        assert len(found.scores) == 1
    assert (first.texts, second.texts) == (2, 0)


async def test_the_terms_of_another_encoder_are_not_used(filled: Ledger) -> None:
    await MirrorStore(filled.mirrors, WrittenTerms()).match(INDEX, by_term())
    other = CountingTerms()
    other.revision = "another language"
    await MirrorStore(filled.mirrors, other).match(INDEX, by_term())
    assert other.texts == 2


@pytest.mark.parametrize(
    "damaged",
    [b"", b"\x00" * 12, b"\x00" * 7, np.full(3, np.nan, np.float32).tobytes()],
    ids=["forgotten", "zero", "cut", "not a number"],
)
async def test_a_chunk_whose_vectors_are_damaged_is_found_by_its_terms_and_reported(
    filled: SqlLedger, damaged: bytes
) -> None:
    async with filled.database.writing() as connection:
        await connection.execute(update(schema.embeddings).values(vectors=damaged))
    store = MirrorStore(filled.mirrors, WrittenTerms())

    assert await store.search(INDEX, IndexQuery(EAST, 10)) == []
    assert await store.count(INDEX) == 0
    [findings] = await Verifier(filled, store).verify()
    assert set(findings.missing) == {"chunk-a", "chunk-b"}


async def test_a_filter_is_not_taken_for_another_that_python_calls_equal(ledger: Ledger) -> None:
    store = MirroredStore(ledger)
    await store.create(SPEC)
    await store.upsert(INDEX, [point("one", metadata={"x": 1}), point("yes", metadata={"x": True})])
    for value, name in ((1, "one"), (True, "yes"), (1.0, "one")):
        wanted = replace(query(filter_=OneOf("x", (value,))), revision=1)
        found = await store.search(INDEX, wanted)
        assert names(found) == [name]


async def test_an_index_that_no_collection_uses_is_named(filled: Ledger) -> None:
    store = MirrorStore(filled.mirrors, WrittenTerms())
    with pytest.raises(RetrievalUnavailable, match="never-created"):
        await store.search("never-created", IndexQuery(EAST, 1))


async def test_a_failed_comparison_is_told_to_whoever_asked_and_to_nobody_else(
    filled: Ledger,
) -> None:
    store = MirrorStore(filled.mirrors, WrittenTerms())
    with pytest.raises(RetrievalUnavailable, match="3"):
        await store.search(INDEX, IndexQuery((1.0, 0.0), 1))
    assert len(await store.search(INDEX, IndexQuery(EAST, 1))) == 1


async def test_a_closed_store_says_so(filled: Ledger) -> None:
    store = MirrorStore(filled.mirrors, WrittenTerms())
    await store.search(INDEX, IndexQuery(EAST, 1))
    store.close()
    with pytest.raises(RetrievalUnavailable, match="not open"):
        await store.search(INDEX, IndexQuery(EAST, 1))


async def test_terms_are_counted_in_the_chunks_that_lived_and_that_a_filter_lets_through(
    ledger: Ledger,
) -> None:
    store, saw = MirroredStore(ledger), 8
    await store.create(SPEC)
    both = SparseVector((HAMMER, saw), (1.0, 1.0))
    await store.upsert(INDEX, [point("a", sparse=both, metadata={"tier": 1})])
    await store.upsert(INDEX, [point("b", sparse=by_term().sparse, metadata={"tier": 4})])
    mirror = MirrorStore(ledger.mirrors, WrittenTerms())
    wanted, low = {HAMMER, saw, 9}, OneOf("tier", (1,))

    assert await mirror.count_terms(INDEX, wanted, EVERYTHING, 2) == {HAMMER: 2, saw: 1}
    assert await mirror.count_terms(INDEX, wanted, low, 2) == {HAMMER: 1, saw: 1}
    assert await mirror.count_terms(INDEX, wanted, EVERYTHING, 1) == {HAMMER: 1, saw: 1}
    assert await mirror.count_terms(INDEX, set(), low, 2) == {}
