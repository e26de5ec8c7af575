"""Contract of a ledger: a collection switches its index generation and keeps the previous one."""

import math
import uuid
from dataclasses import replace

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.jobs import JobRequest, reindex_queue
from sourcebook.core.ports import Ledger
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import ChunkVersion, DocumentVersion
from tests.contract.ledger_values import found, new_collection, put, ref_of, version_of

NEWER = "rev-2"


def newer_generation() -> Generation:
    """Return a generation of another model, with vectors of another length."""
    return Generation(uuid.uuid4().hex, "newer", NEWER, 2)


def hashed(version: DocumentVersion, text_hash: str) -> DocumentVersion:
    """Return the version with this text hash for its only chunk."""
    return replace(version, chunks=(replace(version.chunks[0], text_hash=text_hash),))


async def walked(
    ledger: Ledger, collection: Collection, born_after: int = 0
) -> dict[str, ChunkVersion]:
    """Return the live chunks by document, each of which has one."""
    return {
        version.chunk.document_id: version
        async for batch in ledger.documents.walk(collection.id, born_after)
        for version in batch
    }


class GenerationContract:
    """A collection changes its model."""

    async def test_a_generation_is_taken_into_use_and_the_one_before_is_kept(
        self, ledger: Ledger
    ) -> None:
        collection = replace(new_collection(), metadata={"embedding_model": "minilm", "a": 1})
        await ledger.collections.create(collection)
        current = await put(ledger, collection, version_of("a"))
        newer = newer_generation()

        assert await ledger.collections.switch(current, newer)

        switched = await ledger.collections.get("robotics")
        assert (switched.generation, switched.previous) == (newer, collection.generation)
        assert switched.metadata == {"embedding_model": "newer", "a": 1}
        assert (switched.revision, switched.count) == (current.revision, 1)
        assert await ledger.garbage.retired_indexes(math.inf) == []

    async def test_nothing_is_switched_if_the_collection_changed_since(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        current = await put(ledger, collection, version_of("late"))

        assert not await ledger.collections.switch(collection, newer_generation())

        assert await ledger.collections.get("robotics") == current

    async def test_nothing_is_switched_for_a_job_that_was_asked_to_end(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        request = JobRequest(reindex_queue(collection.id), model="newer")
        await ledger.jobs.enqueue_reindex(collection.id, request)
        job = await ledger.jobs.claim(60.0, "reindex")
        assert job is not None
        await ledger.jobs.cancel(job.id)

        assert not await ledger.collections.switch(collection, newer_generation(), job.fence)

        assert await ledger.collections.get("robotics") == collection

    async def test_nothing_is_switched_if_another_model_is_asked_for_since(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        third = {"embedding_model": "third"}
        changed = await ledger.collections.change_metadata("robotics", lambda _: third)

        assert not await ledger.collections.switch(collection, newer_generation())
        assert await ledger.collections.get("robotics") == changed

    async def test_other_metadata_that_changed_since_stay(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await ledger.collections.change_metadata("robotics", lambda old: {**old, "b": 2})

        assert await ledger.collections.switch(collection, newer_generation())

        metadata = (await ledger.collections.get("robotics")).metadata
        assert metadata == {"embedding_model": "newer", "b": 2}

    async def test_a_collection_that_is_gone_is_not_switched(self, ledger: Ledger) -> None:
        assert not await ledger.collections.switch(new_collection(), newer_generation())

    async def test_live_chunks_have_as_many_vectors_as_the_new_model_gave(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        texts = {id_: hashed(version_of(id_), f"hash of {id_}") for id_ in ("dead", "one", "three")}
        await put(ledger, collection, *texts.values())
        await ledger.documents.delete(collection.id, ["dead"])
        several: Embedding = ([1.0, 0.0],) * 3
        await ledger.vectors.remember(NEWER, {"hash of three": several, "hash of dead": several})
        await ledger.vectors.remember(NEWER, {"hash of one": ([1.0, 0.0],)})

        await ledger.collections.switch(await found(ledger, collection), newer_generation())

        counts = {id_: v.vectors for id_, v in (await walked(ledger, collection)).items()}
        assert counts == {"one": 1, "three": 3}
        (dead,) = await ledger.garbage.dead_chunks(math.inf, 9)
        assert dead.vectors == 1

    async def test_a_further_switch_retires_what_was_kept(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        second, third = newer_generation(), newer_generation()
        await ledger.collections.switch(collection, second)

        assert await ledger.collections.switch(await found(ledger, collection), third)

        assert (await found(ledger, collection)).previous == second
        retired = await ledger.garbage.retired_indexes(math.inf)
        assert retired == [collection.generation.index_id]

    async def test_a_switch_back_retires_nothing(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        newer = newer_generation()
        await ledger.collections.switch(collection, newer)

        assert await ledger.collections.switch(
            await found(ledger, collection), collection.generation
        )

        back = await found(ledger, collection)
        assert (back.generation, back.previous) == (collection.generation, newer)
        assert back.wanted_model == "minilm"
        assert await ledger.garbage.retired_indexes(math.inf) == []

    async def test_a_reader_of_before_finishes_undisturbed(self, ledger: Ledger) -> None:
        collection, version = new_collection(), version_of("a", "words")
        await ledger.collections.create(collection)
        seen = await put(ledger, collection, version)

        await ledger.collections.switch(seen, newer_generation())

        chunks = await ledger.documents.chunks_at(seen.id, seen.revision, [ref_of(version)])
        assert [chunk.text for chunk in chunks.values()] == ["words"]

    async def test_what_is_kept_goes_with_the_collection(self, ledger: Ledger) -> None:
        collection, newer = new_collection(), newer_generation()
        await ledger.collections.create(collection)
        await ledger.collections.switch(collection, newer)

        await ledger.collections.delete("robotics")

        both = {collection.generation.index_id, newer.index_id}
        assert set(await ledger.garbage.retired_indexes(math.inf)) == both

    async def test_what_is_kept_goes_with_the_documents(self, ledger: Ledger) -> None:
        collection, newer = new_collection(), newer_generation()
        await ledger.collections.create(collection)
        await ledger.collections.switch(collection, newer)

        await ledger.documents.empty(collection.id, replace(newer, index_id="fresh"))

        assert (await found(ledger, collection)).previous is None
        both = {collection.generation.index_id, newer.index_id}
        assert set(await ledger.garbage.retired_indexes(math.inf)) == both

    async def test_what_is_kept_stays_when_only_the_index_is_built_anew(
        self, ledger: Ledger
    ) -> None:
        collection, newer = new_collection(), newer_generation()
        await ledger.collections.create(collection)
        await ledger.collections.switch(collection, newer)

        await ledger.collections.move(
            await found(ledger, collection), replace(newer, index_id="rebuilt")
        )
        kept = (await found(ledger, collection)).previous
        third = replace(newer, index_id="third", model_revision="rev-3")
        await ledger.collections.move(await found(ledger, collection), third)

        assert kept == collection.generation
        assert (await found(ledger, collection)).previous is None

    async def test_every_index_that_is_in_use_or_kept_is_wanted(self, ledger: Ledger) -> None:
        collection, newer = new_collection(), newer_generation()
        await ledger.collections.create(collection)
        await ledger.collections.switch(collection, newer)
        await ledger.collections.create(other := new_collection("other"))

        assert await ledger.garbage.wanted_indexes() == {
            collection.generation.index_id,
            newer.index_id,
            other.generation.index_id,
        }

    async def test_what_came_after_a_revision_can_be_walked(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        many = [version_of(f"old {n}") for n in range(3)]
        before = await put(ledger, collection, *many)
        await put(ledger, collection, version_of("new"), version_of("old 1", "newer"))
        await put(ledger, collection, version_of("newest"))
        await ledger.documents.delete(collection.id, ["newest"])

        assert (await walked(ledger, collection, before.revision)).keys() == {"new", "old 1"}
        assert len(await walked(ledger, collection)) == 4

    async def test_live_chunks_are_known_by_their_versions(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        old, new, gone = version_of("a"), version_of("a", "newer"), version_of("gone")
        await put(ledger, collection, old, gone)
        await put(ledger, collection, new)
        await ledger.documents.delete(collection.id, ["gone"])

        ref = ref_of(new)
        assert await ledger.documents.live(collection.id) == {(ref.chunk_id, ref.version)}
        assert await ledger.documents.live(uuid.uuid4().hex) == set()

    async def test_chunks_that_were_live_are_known_by_the_revision(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        old, new, gone = version_of("a"), version_of("a", "newer"), version_of("gone")
        first = await put(ledger, collection, old, gone)
        second = await put(ledger, collection, new)
        await ledger.documents.delete(collection.id, ["gone"])
        third = await ledger.collections.get(collection.name)

        seen = [
            await ledger.documents.live_at(collection.id, one.revision)
            for one in (first, second, third)
        ]

        a, newer_a, b = [(ref_of(one).chunk_id, ref_of(one).version) for one in (old, new, gone)]
        assert seen == [{a, b}, {newer_a, b}, {newer_a}]
        assert await ledger.documents.live_at(uuid.uuid4().hex, third.revision) == set()
