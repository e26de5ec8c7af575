"""Contract of a ledger: a hidden collection replaces a live one in one step."""

import math
import uuid
from dataclasses import replace

import pytest

from sourcebook.core.collections import hidden_name
from sourcebook.core.errors import Conflict, NotFound
from sourcebook.core.ports import Ledger
from tests.contract.ledger_values import (
    being_built,
    found,
    new_collection,
    put,
    ref_of,
    version_of,
    write_of,
)


class ReplacementContract:
    """Hidden collections are built, swapped in and discarded."""

    async def test_a_collection_that_is_being_built_is_hidden(self, ledger: Ledger) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)

        assert await ledger.collections.all() == [live]
        assert {c.id for c in await ledger.collections.all(hidden=True)} == {live.id, building.id}
        assert await ledger.collections.by_id(building.id) == building
        with pytest.raises(NotFound):
            await ledger.collections.get(building.name)

    async def test_an_unknown_id_is_no_collection(self, ledger: Ledger) -> None:
        assert await ledger.collections.by_id(uuid.uuid4().hex) is None

    async def test_a_hidden_collection_moves_like_any_other(self, ledger: Ledger) -> None:
        building = being_built(new_collection())
        await ledger.collections.create(building)
        fresh = replace(building.generation, index_id=uuid.uuid4().hex)

        assert await ledger.collections.move(building, fresh)
        assert (await found(ledger, building)).generation == fresh

    async def test_the_new_collection_takes_the_name_and_the_old_one_is_retired(
        self, ledger: Ledger
    ) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        built = await put(ledger, building, version_of("a"), version_of("b"))

        assert await ledger.collections.replace(live, built)

        current = await ledger.collections.get("robotics")
        assert current == replace(built, name="robotics", state="live")
        assert await ledger.collections.all() == [current]
        retired = await found(ledger, live)
        assert (retired.name, retired.state) == (hidden_name(live.id), "retired")

    async def test_readers_of_the_old_collection_finish_undisturbed(self, ledger: Ledger) -> None:
        live, version = new_collection(), version_of("a", "old")
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        seen = await put(ledger, live, version)
        built = await put(ledger, building, version_of("a", "new"))

        await ledger.collections.replace(seen, built)

        chunks = await ledger.documents.chunks_at(seen.id, seen.revision, [ref_of(version)])
        assert [chunk.text for chunk in chunks.values()] == ["old"]
        whole = await ledger.documents.whole(seen.id, "a")
        assert whole is not None
        assert whole.document.text == "old"

    async def test_nothing_is_replaced_if_one_of_them_changed_since(self, ledger: Ledger) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        current = await put(ledger, live, version_of("late"))
        built = await put(ledger, building, version_of("a"))

        assert not await ledger.collections.replace(live, built)
        assert not await ledger.collections.replace(current, building)
        assert await ledger.collections.get("robotics") == current

    async def test_a_collection_is_replaced_once(self, ledger: Ledger) -> None:
        live = new_collection()
        first, second = being_built(live), being_built(live)
        for collection in (live, first, second):
            await ledger.collections.create(collection)

        assert await ledger.collections.replace(live, first)
        assert not await ledger.collections.replace(live, second)
        assert not await ledger.collections.replace(live, first)
        assert (await ledger.collections.get("robotics")).id == first.id

    async def test_a_write_into_a_replaced_collection_is_refused(self, ledger: Ledger) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        await ledger.collections.replace(live, building)

        with pytest.raises(Conflict, match="replaced"):
            await ledger.documents.commit(write_of(live, version_of("late")))
        with pytest.raises(Conflict, match="replaced"):
            await ledger.documents.delete(live.id, ["late"])

        assert (await found(ledger, live)).revision == 0

    async def test_the_garbage_holds_the_retired_collection_until_it_is_discarded(
        self, ledger: Ledger
    ) -> None:
        live = new_collection()
        building = being_built(live)
        for collection in (live, building):
            await ledger.collections.create(collection)
        await put(ledger, live, version_of("a"))
        await ledger.collections.replace(await found(ledger, live), building)

        (retired,) = await ledger.garbage.retired_collections(math.inf)
        assert await ledger.garbage.retired_collections(0.0) == []
        assert retired.id == live.id
        assert await ledger.garbage.retired_indexes(math.inf) == []

        await ledger.collections.discard(live.id)
        assert await ledger.collections.by_id(live.id) is None
        assert await ledger.garbage.retired_collections(math.inf) == []
        assert await ledger.garbage.retired_indexes(math.inf) == [live.generation.index_id]

    async def test_a_collection_that_was_given_up_is_discarded_with_all_it_holds(
        self, ledger: Ledger
    ) -> None:
        building = being_built(new_collection())
        await ledger.collections.create(building)
        await put(ledger, building, version_of("a"))

        for _ in range(2):
            await ledger.collections.discard(building.id)

        assert await ledger.collections.all(hidden=True) == []
        assert await ledger.documents.whole(building.id, "a") is None
        assert await ledger.garbage.retired_indexes(math.inf) == [building.generation.index_id]

    async def test_a_live_collection_is_not_discarded(self, ledger: Ledger) -> None:
        live = new_collection()
        await ledger.collections.create(live)

        with pytest.raises(Conflict, match="'robotics' is in use"):
            await ledger.collections.discard(live.id)

        assert await ledger.collections.get("robotics") == live
