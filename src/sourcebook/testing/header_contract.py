"""Contract of a ledger: documents are listed page by page, counted, and know their times."""

import pytest

from sourcebook.core.documents import DocumentHeader
from sourcebook.core.filters import EVERYTHING, OneOf
from sourcebook.core.ports import Ledger
from sourcebook.testing.ledger_values import new_collection, put, version_of

COUNT = 2_100
EVEN_ONES = OneOf("even", (True,))


async def filled(ledger: Ledger) -> str:
    """The id of a collection with documents d0, d1, …"""
    collection = new_collection()
    await ledger.collections.create(collection)
    versions = [version_of(f"d{n}", metadata={"even": n % 2 == 0}) for n in range(COUNT)]
    await put(ledger, collection, *versions)
    return collection.id


class HeaderContract:
    """Pages of headers, in the order in which the documents first came."""

    async def test_a_page_of_headers_is_a_slice_of_them_all(self, ledger: Ledger) -> None:
        collection_id = await filled(ledger)
        every = await ledger.documents.headers(collection_id, EVERYTHING)
        even = await ledger.documents.headers(collection_id, EVEN_ONES)

        for limit, offset in ((10, 0), (7, 13), (1_500, 300), (50, COUNT - 3), (5, COUNT), (0, 0)):
            page = await ledger.documents.headers(collection_id, EVERYTHING, limit, offset)
            assert page == every[offset : offset + limit]
            page = await ledger.documents.headers(collection_id, EVEN_ONES, limit, offset)
            assert page == even[offset : offset + limit]

    async def test_headers_without_a_limit_are_all_behind_the_offset(self, ledger: Ledger) -> None:
        collection_id = await filled(ledger)

        page = await ledger.documents.headers(collection_id, EVERYTHING, offset=50)

        assert [header.id for header in page] == [f"d{n}" for n in range(50, COUNT)]

    async def test_a_changed_document_keeps_its_place(self, ledger: Ledger) -> None:
        collection_id = await filled(ledger)
        collection = await ledger.collections.get("robotics")
        await put(ledger, collection, version_of("d1", "newer"))

        page = await ledger.documents.headers(collection_id, EVERYTHING, 3)

        assert [header.id for header in page] == ["d0", "d1", "d2"]

    async def test_documents_are_counted_by_what_matches(self, ledger: Ledger) -> None:
        collection_id = await filled(ledger)
        await ledger.documents.delete(collection_id, ["d0", "d1", "d2"])

        assert await ledger.documents.count(collection_id, EVERYTHING) == COUNT - 3
        assert await ledger.documents.count(collection_id, EVEN_ONES) == COUNT // 2 - 2
        assert await ledger.documents.count(collection_id, OneOf("even", ("no",))) == 0
        assert await ledger.documents.count("f" * 32, EVERYTHING) == 0

    async def test_a_header_says_when_the_document_came_and_when_it_changed(
        self, ledger: Ledger
    ) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("a"), version_of("b"))
        before = await _by_id(ledger, collection.id)
        await put(ledger, collection, version_of("b", "newer"))
        after = await _by_id(ledger, collection.id)

        assert before["a"].created_at_s == before["a"].updated_at_s > 0
        assert after["a"] == before["a"]
        assert after["b"].created_at_s == before["b"].created_at_s
        assert after["b"].updated_at_s > before["b"].updated_at_s

    async def test_a_header_is_found_by_the_id_of_its_document(self, ledger: Ledger) -> None:
        collection_id = await filled(ledger)
        (listed,) = await ledger.documents.headers(collection_id, EVERYTHING, 1, 7)

        assert await ledger.documents.header(collection_id, "d7") == listed
        for unknown in ("nonexistent", "", "\x00", "\ud800"):
            assert await ledger.documents.header(collection_id, unknown) is None
        assert await ledger.documents.header("f" * 32, "d7") is None

    @pytest.mark.parametrize("limit", [None, 10])
    async def test_a_collection_that_is_not_there_has_no_headers(
        self, ledger: Ledger, limit: int | None
    ) -> None:
        assert await ledger.documents.headers("f" * 32, EVERYTHING, limit) == []


async def _by_id(ledger: Ledger, collection_id: str) -> dict[str, DocumentHeader]:
    return {h.id: h for h in await ledger.documents.headers(collection_id, EVERYTHING)}
