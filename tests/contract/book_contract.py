"""Contract of a ledger for books: what is kept of the files that are their lessons."""

from dataclasses import replace

import pytest

from sourcebook.core.books import KeptLayout
from sourcebook.core.errors import LeaseLost
from sourcebook.core.jobs import Fence, JobRequest
from sourcebook.core.ports import Ledger
from tests.contract.ledger_values import being_built, found, new_collection

LAYOUT = KeptLayout(
    collection="robotics",
    book_id="arms",
    patterns=("module-{module_number}/ü/*.md", "**/*.md"),
    exclude=("drafts",),
    automatic=False,
    source="/srv/books/arms",
    chosen_at_s=1_700_000_000.25,
)


class BookContract:
    """Each book of a collection keeps its layout until it, or its collection, is deleted."""

    async def test_a_layout_comes_back_as_it_was_kept(self, ledger: Ledger) -> None:
        plain = replace(LAYOUT, book_id="legs", patterns=("folders",), exclude=(), automatic=True)

        await ledger.books.put(LAYOUT)
        await ledger.books.put(plain)

        assert await ledger.books.get("robotics", "arms") == LAYOUT
        assert await ledger.books.get("robotics", "legs") == plain

    async def test_nothing_is_kept_with_a_book_that_was_never_indexed(self, ledger: Ledger) -> None:
        await ledger.books.put(LAYOUT)

        assert await ledger.books.get("robotics", "legs") is None
        assert await ledger.books.get("other", "arms") is None
        assert await ledger.books.get("robotics", "\x00\ud800") is None

    async def test_a_newer_layout_takes_the_place_of_the_older(self, ledger: Ledger) -> None:
        newer = replace(LAYOUT, patterns=("*.md",), exclude=(), source="https://example.org/b.git")
        await ledger.books.put(LAYOUT)

        await ledger.books.put(newer)

        assert await ledger.books.all("robotics") == [newer]

    async def test_the_books_of_a_collection_are_listed_by_id(self, ledger: Ledger) -> None:
        kept = [replace(LAYOUT, book_id=book_id) for book_id in ("b", "c", "a")]
        for one in (*kept, replace(LAYOUT, collection="other")):
            await ledger.books.put(one)

        listed = await ledger.books.all("robotics")

        assert [one.book_id for one in listed] == ["a", "b", "c"]

    async def test_a_deleted_book_is_forgotten(self, ledger: Ledger) -> None:
        other = replace(LAYOUT, book_id="legs")
        await ledger.books.put(LAYOUT)
        await ledger.books.put(other)

        assert await ledger.books.delete("robotics", "arms")
        assert not await ledger.books.delete("robotics", "arms")
        assert not await ledger.books.delete("robotics", "\x00")

        assert await ledger.books.all("robotics") == [other]

    async def test_the_books_of_a_deleted_collection_are_forgotten(self, ledger: Ledger) -> None:
        await ledger.collections.create(new_collection("robotics"))
        await ledger.books.put(LAYOUT)
        await ledger.books.put(replace(LAYOUT, collection="other"))

        await ledger.collections.delete("robotics")

        assert await ledger.books.get("robotics", "arms") is None
        assert await ledger.books.get("other", "arms") is not None

    async def test_a_rebuilt_collection_keeps_its_books(self, ledger: Ledger) -> None:
        live = new_collection("robotics")
        fresh = being_built(live)
        await ledger.collections.create(live)
        await ledger.collections.create(fresh)
        await ledger.books.put(LAYOUT)

        assert await ledger.collections.replace(live, fresh)
        await ledger.collections.discard((await found(ledger, live)).id)

        assert await ledger.books.get("robotics", "arms") == LAYOUT

    async def test_a_worker_that_lost_its_job_keeps_nothing(self, ledger: Ledger) -> None:
        await ledger.jobs.enqueue(JobRequest("arms"))
        job = await ledger.jobs.claim(30.0)
        assert job is not None

        with pytest.raises(LeaseLost):
            await ledger.books.put(LAYOUT, Fence(job.id, job.token - 1))
        assert await ledger.books.get("robotics", "arms") is None

        await ledger.books.put(LAYOUT, job.fence)
        assert await ledger.books.get("robotics", "arms") == LAYOUT
