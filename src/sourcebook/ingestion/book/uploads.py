"""Takes files that administrators upload into a book, and has the book indexed anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import BookUnreadable, Conflict, NotFound
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import BookLedger
from sourcebook.core.text import shorten
from sourcebook.core.uploads import IncomingFile, PagePictures, StoredFile, UploadStore
from sourcebook.ingestion.book.jobs import BookJobs


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What was kept, and the job that indexes it."""

    files: tuple[StoredFile, ...]
    job: IngestJob


class BookUploads:
    """The uploaded files of the books; `store` is None where nothing can be uploaded.

    `configured` is the book that comes from a folder or a repository by the settings. `pictures`
    draws their pages, if anything can.
    """

    def __init__(
        self,
        store: UploadStore | None,
        jobs: BookJobs,
        books: BookLedger,
        collection: str,
        configured: str | None,
        *,
        pictures: PagePictures | None = None,
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._books = books
        self._collection = collection
        self._configured = configured
        self._pictures = pictures

    async def add(self, book_id: str, files: Sequence[IncomingFile]) -> Uploaded:
        """Keep files and order a run. Conflict if the book's files come from elsewhere."""
        store = self._opened()
        await self._check_source(store, book_id)
        stored = await store.add(book_id, files)
        return Uploaded(tuple(stored), await self._jobs.submit(JobRequest(book_id)))

    async def remove(self, book_id: str, path: str) -> IngestJob:
        """Delete an uploaded file and order a run."""
        await self._opened().remove(book_id, path)
        # Forced: somebody who deletes the last file means it.
        return await self._jobs.submit(JobRequest(book_id, force=True))

    async def original(self, book_id: str, path: str | None) -> Path | None:
        """Return the uploaded file that a lesson was made from; None if it came from elsewhere."""
        if self._store is None or path is None:
            return None
        return await self._store.file(book_id, path)

    async def page_picture(self, book_id: str, path: str | None, page: int) -> bytes:
        """Draw a page of an uploaded PDF, as PNG; NotFound if there is none, or it is damaged."""
        file = await self.original(book_id, path)
        if file is None or self._pictures is None:
            raise NotFound("The pages of this lesson cannot be drawn: no PDF of it was uploaded")
        try:
            return await self._pictures.picture(file, page)
        except BookUnreadable as error:
            raise NotFound(
                f"Page {page} of this lesson cannot be drawn. {error.message}"
            ) from error

    async def remove_all(self, book_id: str) -> None:
        """Delete the uploaded files of a book that is deleted."""
        if self._store is not None:
            await self._store.remove_all(book_id)

    def _opened(self) -> UploadStore:
        if self._store is None:
            raise NotFound("This service keeps no uploaded files: it has no data folder")
        return self._store

    async def _check_source(self, store: UploadStore, book_id: str) -> None:
        kept = await self._books.get(self._collection, book_id)
        elsewhere = kept is not None and kept.source != store.source(book_id)
        if book_id == self._configured or elsewhere:
            raise Conflict(
                f"The files of book {shorten(book_id, 60)!r} come from elsewhere: add them there,"
                " or upload them into another book"
            )
