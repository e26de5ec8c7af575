"""Routes for administrators: list the books, look into one, upload into one, delete one."""

from typing import Annotated

from fastapi import APIRouter, Depends, File, Path, Query, UploadFile

from sourcebook.core.uploads import IncomingFile
from sourcebook.surfaces.admin_key import ADMIN_KEY_SCHEME
from sourcebook.surfaces.book import books_schemas as schemas
from sourcebook.surfaces.book.books_results import (
    book_details_out,
    book_out,
    deleted_out,
    files_out,
    uploaded_out,
)
from sourcebook.surfaces.book.errors import ADMIN, BODY, errors
from sourcebook.surfaces.book.ingestion_results import ordered_out
from sourcebook.surfaces.book.ingestion_schemas import OrderedOut
from sourcebook.surfaces.book.schemas import Name
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.route_classes import AdminRoute, AdminUploadRoute

DEFAULT_FILES, MAX_FILES = 100, 1_000
MAX_OFFSET = 10**9

admin = APIRouter(tags=["books"], route_class=AdminRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)])

uploads = APIRouter(
    tags=["books"], route_class=AdminUploadRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)]
)

BookId = Annotated[Name, Path(description="As `GET /books` lists it")]


@admin.get("/books", responses=errors(*ADMIN, 503))
async def list_books(use: Using) -> schemas.BooksOut:
    """List every book of which something is indexed or under way."""
    books = await use.book_catalog.all()
    return schemas.BooksOut(books=[book_out(book, use.book_rules) for book in books])


@admin.get("/books/{book_id}", responses=errors(*ADMIN, 404, 422, 503))
async def get_book(book_id: BookId, use: Using) -> schemas.BookDetailsOut:
    """Describe a book."""
    return book_details_out(await use.book_catalog.get(book_id), use.book_rules)


@admin.get("/books/{book_id}/files", responses=errors(*ADMIN, 404, 422, 503))
async def list_files(
    book_id: BookId,
    use: Using,
    limit: Annotated[int, Query(ge=1, le=MAX_FILES)] = DEFAULT_FILES,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
    problems: Annotated[bool, Query(description="Only files with a problem")] = False,
) -> schemas.BookFilesOut:
    """List the files of a book: what is indexed of each, and what is wrong with it."""
    page = await use.book_catalog.files(book_id, limit, offset, problems_only=problems)
    return files_out(book_id, page)


@uploads.post(
    "/books/{book_id}/files", status_code=202, responses=errors(*BODY, *ADMIN, 404, 409, 503)
)
async def upload_files(
    book_id: BookId,
    use: Using,
    files: Annotated[
        list[UploadFile], File(description="Documents, and zip or tar archives of them")
    ],
) -> schemas.UploadedOut:
    """Upload files into a book and queue a run. Archives are unpacked; a file replaces its like."""
    incoming = [IncomingFile(file.filename or "", file.file) for file in files]
    return uploaded_out(await use.book_uploads.add(book_id, incoming))


@admin.delete(
    "/books/{book_id}/files/{path:path}",
    status_code=202,
    responses=errors(*ADMIN, 404, 409, 422, 503),
)
async def delete_file(book_id: BookId, path: str, use: Using) -> OrderedOut:
    """Delete an uploaded file and queue a run. A file of another source is not here to delete."""
    return ordered_out(await use.book_uploads.remove(book_id, path))


@admin.delete("/books/{book_id}", responses=errors(*ADMIN, 404, 409, 422, 503))
async def delete_book(book_id: BookId, use: Using) -> schemas.DeletedBookOut:
    """Delete a book from the index. Its files stay where they are, unless they were uploaded."""
    deleted = deleted_out(await use.book_catalog.delete(book_id))
    await use.book_uploads.remove_all(book_id)
    return deleted
