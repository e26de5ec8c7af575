"""Contract of a ledger that takes the place of a lost one."""

from dataclasses import replace

import pytest

from sourcebook.core.collections import hidden_name
from sourcebook.core.errors import Conflict
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.ports import Ledger
from sourcebook.core.takeover import Takeover
from sourcebook.core.writes import AbandonedWrite
from sourcebook.testing.ledger_values import found, new_collection, put, version_of


class RestoreContract:
    """Collections are restored unseen, then all of them come to light in one step."""

    async def test_restored_collections_appear_with_the_installation(self, ledger: Ledger) -> None:
        lost = replace(new_collection(), previous=new_collection().generation)
        hidden = replace(
            lost,
            name=hidden_name(lost.id),
            generation=replace(lost.generation, index_id="restoring"),
            state="building",
            previous=None,
        )
        await ledger.collections.create(hidden)
        await put(ledger, hidden, version_of("a"))
        before = await ledger.installation()

        await ledger.take_over(Takeover("the-lost-one", [lost]))

        assert before != await ledger.installation() == "the-lost-one"
        assert await found(ledger, lost) == replace(lost, revision=1, count=1)
        assert await ledger.garbage.retired_indexes(float("inf")) == []

    async def test_a_ledger_with_a_live_collection_takes_nothing_over(self, ledger: Ledger) -> None:
        await ledger.collections.create(new_collection())
        before = await ledger.installation()
        with pytest.raises(Conflict, match="robotics"):
            await ledger.take_over(Takeover("the-lost-one", []))
        assert await ledger.installation() == before

    async def test_a_takeover_says_which_points_go_and_which_indexes_stay(
        self, ledger: Ledger
    ) -> None:
        left_over = AbandonedWrite("write", "index", ("p1", "p2"))
        await ledger.take_over(Takeover("the-lost-one", [], [left_over], {"unlisted"}))
        assert await ledger.garbage.abandoned_writes(float("inf")) == [left_over]
        assert await ledger.garbage.wanted_indexes() == {"unlisted"}

    async def test_a_restored_document_keeps_its_times(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        old = replace(version_of("a"), created_at_s=1.5, updated_at_s=2.5)
        await put(ledger, collection, old, version_of("b"))
        first, second = await ledger.documents.headers(collection.id, EVERYTHING)
        assert (first.created_at_s, first.updated_at_s) == (1.5, 2.5)
        assert second.created_at_s == second.updated_at_s != 1.5

    async def test_headers_are_found_by_id_in_the_order_they_came(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("b"), version_of("a"), version_of("c"))
        await put(ledger, collection, version_of("b"))
        wanted = await ledger.documents.headers_of(collection.id, ["a", "unknown", "b"])
        every = await ledger.documents.headers(collection.id, EVERYTHING)
        assert [*wanted.items()] == [(header.id, header) for header in every[:2]]
