"""A source without a name is the book that came from there, else a new one named after it."""

from pathlib import Path

import pytest

from sourcebook.core.books import KeptLayout
from sourcebook.core.errors import InvalidInput
from sourcebook.core.jobs import JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.book.catalog import BookCatalog
from sourcebook.ingestion.book.naming import GivenSource, free_name, name_book

COLLECTION = "book"


@pytest.fixture
def catalog(ledger: Ledger) -> BookCatalog:
    return BookCatalog(ledger, COLLECTION)


async def keep(ledger: Ledger, book_id: str, source: str) -> None:
    kept = KeptLayout(COLLECTION, book_id, ("folders",), (), True, source, 0.0)
    await ledger.books.put(kept)


def folder(path: Path) -> GivenSource:
    path.mkdir(parents=True, exist_ok=True)
    return GivenSource.at(path)


async def test_a_new_folder_is_a_new_book_named_after_it(
    catalog: BookCatalog, tmp_path: Path
) -> None:
    assert await name_book(folder(tmp_path / "My Handbook"), catalog, ()) == ("my-handbook", True)


async def test_the_folder_of_a_book_stays_that_book_whatever_it_is_called(
    ledger: Ledger, catalog: BookCatalog, tmp_path: Path
) -> None:
    source = folder(tmp_path / "docs")
    await keep(ledger, "book", source.address)

    assert await name_book(source, catalog, ()) == ("book", False)


async def test_another_folder_of_the_same_name_gets_a_number(
    ledger: Ledger, catalog: BookCatalog, tmp_path: Path
) -> None:
    await keep(ledger, "docs", str(tmp_path / "one" / "docs"))

    assert await name_book(folder(tmp_path / "two" / "docs"), catalog, ()) == ("docs-2", True)
    assert await name_book(folder(tmp_path / "two" / "docs"), catalog, ("docs-2",)) == (
        "docs-3",
        True,
    )


async def test_a_first_run_that_was_killed_goes_on_under_its_name(
    ledger: Ledger, catalog: BookCatalog, tmp_path: Path
) -> None:
    source = folder(tmp_path / "docs")
    await ledger.jobs.enqueue(JobRequest("docs", docs_path=source.address, trigger="local"))

    assert await name_book(source, catalog, ()) == ("docs", False)


async def test_a_folder_of_two_books_must_be_named(
    ledger: Ledger, catalog: BookCatalog, tmp_path: Path
) -> None:
    source = folder(tmp_path / "docs")
    for book_id in ("a", "b"):
        await keep(ledger, book_id, source.address)

    with pytest.raises(InvalidInput, match=r"\['a', 'b'\]. Name one with --book"):
        await name_book(source, catalog, ())


async def test_a_website_is_named_after_its_host_and_known_with_other_options(
    ledger: Ledger, catalog: BookCatalog
) -> None:
    site = GivenSource.of_site("https://www.example.org/docs/#max_pages=5")
    assert await name_book(site, catalog, ()) == ("example.org", True)

    await keep(ledger, "example.org", "https://www.example.org/docs")
    assert await name_book(site, catalog, ()) == ("example.org", False)
    other = GivenSource.of_site("https://www.example.org/blog")
    assert await name_book(other, catalog, ()) == ("example.org-2", True)


def test_a_file_is_named_without_its_ending(tmp_path: Path) -> None:
    (tmp_path / "Annual Report.v2.pdf").touch()

    assert free_name(GivenSource.at(tmp_path / "Annual Report.v2.pdf").called, ()) == (
        "annual-report.v2"
    )


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("Über uns", "uber-uns"),
        ("资料", "book"),
        ("", "book"),
        ("..", "book"),
        ("a" * 300, "a" * 60),
    ],
)
def test_any_name_makes_an_id(called: str, name: str) -> None:
    assert free_name(called, ()) == name
