"""Finds the book of a folder, a file or a website that somebody names instead of a book."""

from dataclasses import dataclass

from sourcebook.ingestion.book.catalog import BookCatalog
from sourcebook.ingestion.book.naming import GivenSource, name_book
from sourcebook.search.default_books import SAMPLE_BOOK_ID
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.use_cases import open_without_models


@dataclass(frozen=True, slots=True)
class GivenBook:
    """A book by its source; it `is_new` if nothing came from there before."""

    book_id: str
    source: GivenSource
    is_new: bool = False


def given_source(settings: Settings) -> GivenSource:
    """Return the folder, the file or the website that the settings name."""
    if settings.docs_path is not None:
        return GivenSource.at(settings.docs_path)
    return GivenSource.of_site(settings.docs_site or "")


async def given_book(settings: Settings, source: GivenSource, catalog: BookCatalog) -> GivenBook:
    """Return the book that was told, else the one that comes from there, else a new one."""
    if settings.book_id_told or given_source(settings) == source:
        return GivenBook(settings.book_id, source)
    reserved = {SAMPLE_BOOK_ID, *([settings.book_id] if settings.has_book else [])}
    book_id, is_new = await name_book(source, catalog, reserved)
    return GivenBook(book_id, source, is_new)


async def find_given_book(settings: Settings, source: GivenSource) -> GivenBook:
    """Return the same, before anything else is opened."""
    if settings.book_id_told:
        return GivenBook(settings.book_id, source)
    # What is configured beside it may be wrong, or gone.
    bare = settings.model_copy(
        update={"docs_path": None, "docs_site": None, "docs_repository": None}
    )
    async with open_without_models(bare, make_data_folder(settings.data_dir)) as use:
        return await given_book(settings, source, use.book_catalog)
