"""Contract of the Ledger port. Inherit `LedgerContract` and supply its two fixtures."""

import asyncio
import math
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.core.errors import AlreadyExists, Conflict, IndexMoved, NotFound
from sourcebook.core.filters import (
    EVERYTHING,
    MAX_FILTER_DEPTH,
    MAX_FILTER_TERMS,
    AllOf,
    AnyOf,
    Filter,
    Not,
    OneOf,
)
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import Ledger
from sourcebook.core.statistics import IndexSize
from sourcebook.core.vectors import Embedding
from sourcebook.testing import filter_examples as strategies
from tests.contract.book_contract import BookContract
from tests.contract.document_contract import ChainContract, HeaderContract
from tests.contract.feedback_contract import FeedbackContract
from tests.contract.generation_contract import GenerationContract
from tests.contract.ledger_values import (
    ALL,
    OpenLedger,
    chain_of,
    new_collection,
    put,
    ref_of,
    version_of,
    write_of,
)
from tests.contract.replacement_contract import ReplacementContract
from tests.contract.self_test_contract import SelfTestContract


class LedgerContract(
    BookContract,
    ChainContract,
    FeedbackContract,
    GenerationContract,
    HeaderContract,
    ReplacementContract,
    SelfTestContract,
):
    """Supply `ledger`, empty and open for a test, and `open_ledger`, which opens one."""

    async def test_a_collection_is_found_by_name(self, ledger: Ledger) -> None:
        created = new_collection()

        await ledger.collections.create(created)

        assert await ledger.collections.get("robotics") == created

    async def test_an_unknown_collection_is_not_found(self, ledger: Ledger) -> None:
        with pytest.raises(NotFound, match="Collection 'nonexistent' not found"):
            await ledger.collections.get("nonexistent")

    async def test_a_name_is_taken_once(self, ledger: Ledger) -> None:
        await ledger.collections.create(new_collection())

        with pytest.raises(AlreadyExists, match="Collection 'robotics' already exists"):
            await ledger.collections.create(new_collection())

    async def test_the_size_is_what_readers_can_ask_for(self, ledger: Ledger) -> None:
        assert await ledger.size() == IndexSize(0, 0, 0)
        collection, hidden = new_collection(), new_collection("hidden")
        await ledger.collections.create(collection)
        await ledger.collections.create(replace(hidden, state="building"))
        collection = await put(ledger, collection, chain_of("a", "one", "two"), version_of("b"))
        collection = await put(ledger, collection, version_of("c"), chain_of("a", "1", "2", "3"))
        await ledger.documents.delete(collection.id, ["b"])

        assert await ledger.size() == IndexSize(collections=1, documents=2, chunks=4)

    async def test_collections_are_listed_by_name(self, ledger: Ledger) -> None:
        for name in ("b", "a", "c"):
            await ledger.collections.create(new_collection(name))

        assert [c.name for c in await ledger.collections.all()] == ["a", "b", "c"]

    async def test_metadata_come_back_as_they_were(self, ledger: Ledger) -> None:
        odd: Metadata = {"ü": "ß😀", "n": None, "f": 1.5, "i": 2**62, "o": {"a": [1, "x", {}]}}
        await ledger.collections.create(replace(new_collection(), metadata=odd))

        assert (await ledger.collections.get("robotics")).metadata == odd

    async def test_metadata_are_changed_from_what_they_are(self, ledger: Ledger) -> None:
        await ledger.collections.create(new_collection())

        await ledger.collections.change_metadata("robotics", lambda old: {**old, "a": 1})
        changed = await ledger.collections.change_metadata("robotics", lambda old: {**old, "b": 2})

        assert changed.metadata == {"embedding_model": "minilm", "a": 1, "b": 2}
        assert await ledger.collections.get("robotics") == changed

    async def test_a_deleted_collection_takes_everything_with_it(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("a"))

        deleted = await ledger.collections.delete("robotics")
        await ledger.collections.create(replace(new_collection(), id=collection.id))

        assert deleted.id == collection.id
        assert (await ledger.documents.find(collection.id, EVERYTHING, ALL, 0)).total == 0
        assert await ledger.garbage.retired_indexes(math.inf) == [collection.generation.index_id]

    async def test_documents_are_found_in_the_order_they_first_came(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("b"), version_of("a"))
        await put(ledger, collection, version_of("c"), version_of("b", "newer"))

        page = await ledger.documents.find(collection.id, EVERYTHING, ALL, 0)

        assert [d.id for d in page.documents] == ["b", "a", "c"]
        assert page.documents[0].text == "newer"

    async def test_a_page_knows_how_many_match_in_all(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, *(version_of(f"d{n}", metadata={"n": n}) for n in range(30)))
        odd_ones = OneOf("n", tuple(range(1, 30, 2)))

        page = await ledger.documents.find(collection.id, odd_ones, limit=4, offset=5)

        assert [d.id for d in page.documents] == ["d11", "d13", "d15", "d17"]
        assert page.total == 15

    async def test_the_count_follows_every_write(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)

        counts = [(await put(ledger, collection, version_of("a"), version_of("b"))).count]
        counts.append((await put(ledger, collection, version_of("b"), version_of("c"))).count)
        removed = await ledger.documents.delete(collection.id, ["a", "c", "never-was"])
        counts.append((await ledger.collections.get("robotics")).count)

        assert counts == [2, 3, 1]
        assert removed == 2

    async def test_a_reader_keeps_the_revision_it_began_with(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        old, new = version_of("a", "old"), version_of("a", "new")
        before = await put(ledger, collection, old)
        after = await put(ledger, collection, new)
        refs = [ref_of(old), ref_of(new)]

        then = await ledger.documents.chunks_at(collection.id, before.revision, refs)
        now = await ledger.documents.chunks_at(collection.id, after.revision, refs)

        assert [chunk.text for chunk in then.values()] == ["old"]
        assert [chunk.text for chunk in now.values()] == ["new"]

    async def test_a_deleted_document_stays_for_readers_that_began_before(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        version = version_of("a")
        before = await put(ledger, collection, version)
        await ledger.documents.delete(collection.id, ["a"])
        after = await ledger.collections.get("robotics")

        refs = [ref_of(version)]
        assert await ledger.documents.chunks_at(collection.id, before.revision, refs)
        assert not await ledger.documents.chunks_at(collection.id, after.revision, refs)

    async def test_emptying_moves_to_the_new_index_and_retires_the_old(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("a"), version_of("b"))
        fresh = replace(collection.generation, index_id=uuid.uuid4().hex)

        removed = await ledger.documents.empty(collection.id, fresh)

        moved = await ledger.collections.get("robotics")
        assert (removed, moved.count, moved.generation) == (2, 0, fresh)
        assert await ledger.garbage.retired_indexes(math.inf) == [collection.generation.index_id]

    async def test_a_write_into_an_index_that_was_replaced_does_not_land(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        fresh = replace(collection.generation, index_id=uuid.uuid4().hex)
        await ledger.documents.empty(collection.id, fresh)

        with pytest.raises(IndexMoved):
            await ledger.documents.commit(write_of(collection, version_of("late")))

        assert (await ledger.collections.get("robotics")).count == 0

    async def test_a_collection_moves_only_if_nothing_changed_since(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        current = await put(ledger, collection, version_of("a"))
        fresh = replace(collection.generation, index_id=uuid.uuid4().hex)

        assert not await ledger.collections.move(collection, fresh)
        assert await ledger.collections.move(current, fresh)
        assert (await ledger.collections.get("robotics")).generation == fresh

    async def test_walking_gives_the_live_chunks_alone(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        versions = [version_of(f"d{n}") for n in range(1_203)]
        await put(ledger, collection, *versions)
        await ledger.documents.delete(collection.id, ["d0"])

        walked = [c async for batch in ledger.documents.walk(collection.id) for c in batch]

        wanted = {version.document.id: version.chunks[0] for version in versions[1:]}
        assert {chunk.chunk.document_id: chunk for chunk in walked} == wanted
        assert len(walked) == len(wanted)

    async def test_the_garbage_holds_what_died_until_it_is_forgotten(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        version = version_of("a")
        await put(ledger, collection, version)
        await ledger.documents.delete(collection.id, ["a"])

        (dead,) = await ledger.garbage.dead_chunks(math.inf, ALL)
        assert await ledger.garbage.dead_chunks(0.0, ALL) == []
        assert dead.index_id == collection.generation.index_id
        assert (dead.chunk_id, dead.version) == (version.chunks[0].chunk.id, version.version)

        await ledger.garbage.forget_chunks([dead.key])
        assert await ledger.garbage.dead_chunks(math.inf, ALL) == []

    async def test_an_announced_write_is_abandoned_unless_it_commits(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        kept, lost = write_of(collection, version_of("a")), write_of(collection, version_of("b"))
        for write in (kept, lost):
            await ledger.documents.announce(write.id, write.index_id, ["p1", "p2"])

        await ledger.documents.commit(kept)

        (abandoned,) = await ledger.garbage.abandoned_writes(math.inf)
        assert (abandoned.id, abandoned.point_ids) == (lost.id, ("p1", "p2"))
        await ledger.garbage.forget_write(lost.id)
        assert await ledger.garbage.abandoned_writes(math.inf) == []

    async def test_a_write_that_was_taken_for_abandoned_does_not_land(self, ledger: Ledger) -> None:
        """Its points are gone: whoever was frozen that long must not make them live."""
        collection = new_collection()
        await ledger.collections.create(collection)
        before = await put(ledger, collection, version_of("a"))
        frozen = write_of(collection, version_of("a"))
        await ledger.documents.announce(frozen.id, frozen.index_id, ["p1"])
        await ledger.garbage.forget_write(frozen.id)

        with pytest.raises(Conflict, match="send the documents again"):
            await ledger.documents.commit(frozen)

        assert await ledger.collections.get("robotics") == before
        assert await ledger.garbage.dead_chunks(math.inf, ALL) == []

    async def test_field_values_are_distinct_and_lists_give_their_elements(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        values: list[Metadata] = [{"r": "eu"}, {"r": "eu"}, {"r": 1}, {"r": True}, {"r": ["us", 2]}]
        values += [{}, {"r": None}, {"r": {"x": 1}}]
        await put(
            ledger, collection, *(version_of(f"d{n}", metadata=v) for n, v in enumerate(values))
        )

        found = await ledger.documents.field_values(collection.id, "r")

        assert found == {"eu", "1", "True", "us", "2"}

    async def test_embeddings_are_remembered_by_text_and_model(self, ledger: Ledger) -> None:
        await ledger.vectors.remember(
            "rev-1", {"h1": ([0.5, -0.25],), "h2": ([1.0, 0.0], [0.0, 1.0])}
        )
        await ledger.vectors.remember("rev-1", {"h1": ([0.5, -0.25],)})

        assert await ledger.vectors.recall("rev-1", ["h1", "h2", "h3"]) == {
            "h1": ([0.5, -0.25],),
            "h2": ([1.0, 0.0], [0.0, 1.0]),
        }
        assert await ledger.vectors.recall("rev-2", ["h1"]) == {}

    async def test_embeddings_that_no_chunk_needs_are_found_and_forgotten(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("d1"))
        (batch,) = [batch async for batch in ledger.documents.walk(collection.id)]
        needed, revision = batch[0].text_hash, collection.generation.model_revision
        await ledger.vectors.remember(revision, {"h1": ([0.5],), needed: ([1.0],)})

        found = [one for batch in [b async for b in ledger.vectors.unused()] for one in batch]

        assert [(one.text_hash, one.size_bytes) for one in found] == [("h1", 4)]
        assert await ledger.vectors.forget(found) == 1
        assert set(await ledger.vectors.recall(revision, ["h1", needed])) == {needed}

    async def test_many_may_use_and_remember_the_same_embeddings_at_once(
        self, ledger: Ledger
    ) -> None:
        forwards = {f"h{n}": ([float(n)],) for n in range(50)}
        backwards = dict(reversed(forwards.items()))

        async def use(embeddings: Mapping[str, Embedding]) -> None:
            await ledger.vectors.remember("rev-1", embeddings)
            assert len(await ledger.vectors.reuse("rev-1", list(embeddings))) == 50

        await asyncio.gather(*(use(one) for one in (forwards, backwards) * 5))

    async def test_thousands_of_documents_fit_in_one_write(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        ids = [f"d{n}" for n in range(2_500)]

        put_once = await put(ledger, collection, *(version_of(i, metadata={"a": 1}) for i in ids))
        put_twice = await put(ledger, collection, *(version_of(i, metadata={"a": 2}) for i in ids))
        removed = await ledger.documents.delete(collection.id, ids)

        assert (put_once.count, put_twice.count, removed) == (2_500, 2_500, 2_500)

    async def test_an_installation_keeps_the_id_it_was_given_first(self, ledger: Ledger) -> None:
        first = await asyncio.gather(*(ledger.installation() for _ in range(3)))

        assert len(first[0]) == 32
        assert {*first, await ledger.installation()} == {first[0]}

    async def test_the_ledger_is_healthy(self, ledger: Ledger) -> None:
        assert (await ledger.check()).status == "up"

    async def test_filters_that_are_long_deep_or_say_nothing_find_what_matches(
        self, ledger: Ledger
    ) -> None:
        documents: dict[str, Metadata] = {f"d{n}": {"n": n, "even": n % 2 == 0} for n in range(8)}
        deep: Filter = OneOf("even", (True,))
        alternating: Filter = deep
        for n in range(MAX_FILTER_DEPTH):
            deep = Not(AnyOf((Not(deep), OneOf("n", (n,)))))
            alternating = AllOf((AnyOf((alternating, OneOf("n", (n,)))), Not(OneOf("n", (6,)))))
        singly = [OneOf("n", (n,)) for n in range(MAX_FILTER_TERMS)]
        filters: list[Filter] = [
            AnyOf((EVERYTHING,) * 600),
            AllOf((EVERYTHING,) * 600),
            AllOf((AnyOf(()),) * 600),
            AnyOf(tuple(singly)),
            AnyOf(tuple(map(Not, singly))),
            AllOf(tuple(map(Not, singly[:5]))),
            deep,
            alternating,
        ]
        for filter_, found in await _find_all(ledger, documents, filters):
            assert found == [id_ for id_, m in documents.items() if filter_.matches(m)], filter_

    def test_finding_means_the_same_as_matching(self, open_ledger: OpenLedger) -> None:
        """Every filter, over any metadata, finds just what `Filter.matches` says."""

        @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(
            st.lists(strategies.metadata(), min_size=1, max_size=12),
            st.lists(strategies.filters(), min_size=1, max_size=20),
        )
        def holds(contents: list[Metadata], filters: list[Filter]) -> None:
            documents = {f"d{n}": metadata for n, metadata in enumerate(contents)}
            for filter_, found in runner.run(_find_all(ledger, documents, filters)):
                wanted = [id_ for id_, m in documents.items() if filter_.matches(m)]
                assert found == wanted, filter_

        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            ledger = runner.run(stack.enter_async_context(open_ledger()))
            try:
                holds()
            finally:
                runner.run(stack.aclose())


async def _find_all(
    ledger: Ledger, documents: Mapping[str, Metadata], filters: list[Filter]
) -> list[tuple[Filter, list[str]]]:
    collection = new_collection(uuid.uuid4().hex)
    await ledger.collections.create(collection)
    versions = [version_of(id_, metadata=metadata) for id_, metadata in documents.items()]
    await put(ledger, collection, *versions)
    pages = [await ledger.documents.find(collection.id, f, ALL, 0) for f in filters]
    return [(f, [d.id for d in page.documents]) for f, page in zip(filters, pages, strict=True)]
