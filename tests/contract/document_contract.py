"""Contract of a ledger: documents are read whole and listed by page; chunks are linked."""

import random
from dataclasses import replace

import pytest

from sourcebook.core.documents import Chunk, DocumentHeader, Extent, Links, Span, WholeDocument
from sourcebook.core.filters import EVERYTHING, Not, OneOf
from sourcebook.core.ports import Ledger
from sourcebook.core.writes import DocumentVersion
from tests.contract.ledger_values import (
    chain_of,
    chunks_of,
    new_collection,
    put,
    ref_of,
    version_of,
    with_chunks,
)

COUNT = 2_100
EVEN_ONES = OneOf("even", (True,))


class ChainContract:
    """Headers, whole documents, and the links between chunks."""

    async def test_headers_are_documents_without_their_texts(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        versions = [version_of(f"d{n}", metadata={"even": n % 2 == 0}) for n in range(2_100)]
        await put(ledger, collection, *versions)
        wanted = [(v.document.id, v.version, v.document.metadata) for v in versions]

        even_ones = OneOf("even", (True,))

        for filter_, expected in ((EVERYTHING, wanted), (even_ones, wanted[::2])):
            headers = await ledger.documents.headers(collection.id, filter_)
            assert [(h.id, h.version, h.metadata) for h in headers] == expected

    async def test_headers_name_the_live_version(self, ledger: Ledger) -> None:
        collection, newer = new_collection(), version_of("a", "newer")
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("a"), version_of("b"))
        await put(ledger, collection, newer)
        await ledger.documents.delete(collection.id, ["b"])

        (header,) = await ledger.documents.headers(collection.id, EVERYTHING)

        assert (header.id, header.version) == ("a", newer.version)

    async def test_headers_are_listed_in_the_order_of_a_field(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        paths = ["b", "B", "a/2", "a", "ü", "a/10", "", None, "Z"]
        await put(
            ledger,
            collection,
            *(version_of(f"d{n}", metadata={"path": path}) for n, path in enumerate(paths)),
            version_of("e0", metadata={"path": "a", "even": True}),
        )
        listed = [path for path in paths if path is not None]

        async def page(limit: int, offset: int) -> list[object]:
            headers = await ledger.documents.headers_by(
                collection.id, Not(EVEN_ONES), "path", limit, offset
            )
            return [header.metadata["path"] for header in headers]

        every = await page(20, 0)
        # What has no path stands with the empty one.
        assert sorted(map(str, every[:2])) == ["", "None"]
        assert every[2:] == sorted(listed)[1:]
        assert [*await page(4, 0), *await page(4, 4), *await page(4, 8)] == every
        assert await page(4, 20) == []

    async def test_a_collection_is_measured_by_the_values_of_a_field(self, ledger: Ledger) -> None:
        collection, other = new_collection(), new_collection("other")
        for created in (collection, other):
            await ledger.collections.create(created)
        await put(
            ledger,
            collection,
            chain_of("a", "größe ", "🤖", metadata={"book": "one"}),
            chain_of("b", "x", metadata={"book": "one"}),
            chain_of("c", "y", "z", metadata={"book": "two"}),
            version_of("d", metadata={"book": ["one", "two"]}),
            version_of("e", metadata={"book": 1}),
            version_of("f"),
        )
        await put(ledger, other, version_of("g", metadata={"book": "one"}))
        await put(ledger, collection, chain_of("b", "xy", "z", metadata={"book": "one"}))

        one, two = await ledger.documents.groups(collection.id, "book")

        assert (one.value, one.documents, one.chunks) == ("one", 2, 4)
        assert one.bytes == len("größe 🤖xyz".encode())
        assert (two.value, two.documents, two.chunks, two.bytes) == ("two", 1, 2, 2)
        assert one.updated_at_s >= two.updated_at_s > 0
        assert await ledger.documents.groups(collection.id, "book", "two") == [two]
        assert await ledger.documents.groups(collection.id, "book", "three") == []
        assert await ledger.documents.groups(collection.id, "book", "\x00") == []

    async def test_a_document_is_read_whole(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        old, new = chain_of("a", "one ", "two"), chain_of("a", "one ", "2 ", "three")
        await put(ledger, collection, old, chain_of("b", "other"))
        await put(ledger, collection, new)

        whole = await ledger.documents.whole(collection.id, "a")

        assert whole == WholeDocument(new.document, chunks_of(new))

    async def test_an_unknown_document_is_none(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, version_of("a"))
        await ledger.documents.delete(collection.id, ["a"])

        for id_ in ("a", "never-was", "\x00", "\ud800"):
            assert await ledger.documents.whole(collection.id, id_) is None

    async def test_extents_come_back_as_they_were(self, ledger: Ledger) -> None:
        collection, version = new_collection(), chain_of("a", "one two")
        await ledger.collections.create(collection)
        (chunk,) = chunks_of(version)
        extent = Extent((Span(0, 3), Span(4, 7)), 2, 9, overlap=1, span_lines=(2, 5))
        odd = with_chunks(version, replace(chunk, extent=extent))

        await put(ledger, collection, odd)

        read = await ledger.documents.chunks_at(collection.id, 1, [ref_of(odd)])
        assert [chunk.extent for chunk in read.values()] == [extent]

    async def test_what_live_chunks_say_comes_back_as_far_as_it_was_kept(
        self, ledger: Ledger
    ) -> None:
        collection, version = new_collection(), chain_of("a", "one ", "two")
        await ledger.collections.create(collection)
        first, second = version.chunks
        told = replace(version, chunks=(replace(first, statements=b"\x00said"), second))

        await put(ledger, collection, told)

        ids = [first.chunk.id, second.chunk.id, "never-was"]
        assert await ledger.documents.statements(ids) == {first.chunk.id: b"\x00said"}
        await put(ledger, collection, chain_of("a", "new"))
        assert await ledger.documents.statements(ids) == {}

    async def test_a_chunk_knows_its_document_as_long_as_it_lives(self, ledger: Ledger) -> None:
        collection, other = new_collection(), new_collection("other")
        version = chain_of("a", "one ", "two")
        for created in (collection, other):
            await ledger.collections.create(created)
        await put(ledger, collection, version)
        first, second = (chunk.id for chunk in chunks_of(version))

        assert await ledger.documents.document_of(collection.id, second) == "a"
        assert await ledger.documents.document_of(other.id, second) is None
        assert await ledger.documents.document_of(collection.id, "\x00") is None

        await put(ledger, collection, chain_of("a", "new"))
        assert await ledger.documents.document_of(collection.id, first) is None

    async def test_walking_gives_each_document_in_one_batch(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        sizes = {f"d{n:03}": 1 + n * 37 % 200 for n in range(40)} | {"huge": 1_300}
        versions = [chain_of(id_, *("x" * size)) for id_, size in sizes.items()]
        await put(ledger, collection, *versions)

        batches = [
            [chunk.chunk.document_id for chunk in batch]
            async for batch in ledger.documents.walk(collection.id)
        ]

        assert {id_: ids.count(id_) for ids in batches for id_ in ids} == sizes
        assert sum(len(set(ids)) for ids in batches) == len(sizes)

    async def test_walking_over_documents_gives_all_of_them_whole(self, ledger: Ledger) -> None:
        collection, other = new_collection(), new_collection("other")
        for each in (collection, other):
            await ledger.collections.create(each)
        versions = [
            chain_of(f"d{n:03}", "one", "two", metadata={"n": n}) for n in range(250, 0, -1)
        ]
        # A document need not have chunks: a draft has none.
        versions.append(with_chunks(version_of("draft", "")))
        await put(ledger, collection, *versions)
        await put(ledger, other, version_of("elsewhere"))
        await put(ledger, collection, changed := chain_of("d007", "three"))
        wanted = [changed if v.document.id == "d007" else v for v in versions]

        walked = [
            v async for batch in ledger.documents.walk_documents(collection.id) for v in batch
        ]

        assert [replace(v, created_at_s=None, updated_at_s=None) for v in walked] == wanted
        assert all(v.created_at_s is not None and v.updated_at_s is not None for v in walked)

    async def test_sound_links_are_left_alone(self, ledger: Ledger) -> None:
        collection = new_collection()
        await ledger.collections.create(collection)
        await put(ledger, collection, chain_of("a", "one ", "two"), version_of("b"))

        assert await ledger.documents.mend_links(collection.id) == 0

    async def test_a_hundred_corrupted_chunks_are_mended(self, ledger: Ledger) -> None:
        chance = random.Random(7)  # noqa: S311
        collection = new_collection()
        await ledger.collections.create(collection)
        sound = [chain_of(f"d{n:02}", *(f"{n}.{m} " for m in range(25))) for n in range(30)]
        marked = {*chance.sample([c.id for v in sound for c in chunks_of(v)], 100)}
        await put(ledger, collection, *(_corrupted(v, marked, chance) for v in sound))

        mended = await ledger.documents.mend_links(collection.id)
        again = await ledger.documents.mend_links(collection.id)

        assert (mended, again) == (100, 0)
        for version in sound:
            whole = await ledger.documents.whole(collection.id, version.document.id)
            assert whole == WholeDocument(version.document, chunks_of(version))

    async def test_chunks_of_unknown_place_are_linked_by_their_ordinals(
        self, ledger: Ledger
    ) -> None:
        collection, version = new_collection(), chain_of("a", "one ", "two ", "three")
        await ledger.collections.create(collection)
        one, two, three = (replace(chunk, extent=None) for chunk in chunks_of(version))
        gaps = [replace(one, ordinal=3), replace(two, ordinal=10), replace(three, ordinal=10)]
        await put(ledger, collection, with_chunks(version, *gaps))

        mended = await ledger.documents.mend_links(collection.id)

        whole = await ledger.documents.whole(collection.id, "a")
        assert mended == 3
        assert whole is not None
        assert whole.chunks == (one, two, three)

    async def test_mending_leaves_other_collections_and_dead_chunks_alone(
        self, ledger: Ledger
    ) -> None:
        collection, other = new_collection(), new_collection("other")
        for created in (collection, other):
            await ledger.collections.create(created)
        wrong = chain_of("a", "one")
        wrong = with_chunks(wrong, replace(chunks_of(wrong)[0], ordinal=5))
        elsewhere = chain_of("a", "one")
        elsewhere = with_chunks(elsewhere, replace(chunks_of(elsewhere)[0], ordinal=5))
        await put(ledger, collection, wrong)
        await put(ledger, collection, chain_of("a", "new"))
        await put(ledger, other, elsewhere)

        assert await ledger.documents.mend_links(collection.id) == 0
        assert await ledger.documents.mend_links(other.id) == 1


class HeaderContract:
    """Headers are listed by page, in the order in which the documents were first stored."""

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

    async def test_an_imported_document_keeps_its_times(self, ledger: Ledger) -> None:
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


async def filled(ledger: Ledger) -> str:
    """Return the id of a collection with documents d0, d1, …"""
    collection = new_collection()
    await ledger.collections.create(collection)
    versions = [version_of(f"d{n}", metadata={"even": n % 2 == 0}) for n in range(COUNT)]
    await put(ledger, collection, *versions)
    return collection.id


def _corrupted(
    version: DocumentVersion, marked: set[str], chance: random.Random
) -> DocumentVersion:
    """Return the version with a wrong position for each marked chunk."""
    return with_chunks(
        version,
        *(_misplaced(c, chance) if c.id in marked else c for c in chunks_of(version)),
    )


def _misplaced(chunk: Chunk, chance: random.Random) -> Chunk:
    ordinal, links = chunk.ordinal, chunk.links
    wrong = [
        replace(chunk, ordinal=ordinal + chance.choice([-1, 1, 100])),
        replace(chunk, links=replace(links, previous=chunk.id)),
        replace(chunk, links=replace(links, next="nobody")),
        replace(chunk, links=replace(links, total=links.total + 1)),
        replace(chunk, ordinal=ordinal + 1, links=Links()),
    ]
    return chance.choice(wrong)


async def _by_id(ledger: Ledger, collection_id: str) -> dict[str, DocumentHeader]:
    return {h.id: h for h in await ledger.documents.headers(collection_id, EVERYTHING)}
