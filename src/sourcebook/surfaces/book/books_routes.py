"""Routes for administrators: list the books, look into one, delete one."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from sourcebook.surfaces.admin_key import ADMIN_KEY_SCHEME
from sourcebook.surfaces.book import books_schemas as schemas
from sourcebook.surfaces.book.books_results import (
    book_details_out,
    book_out,
    deleted_out,
    files_out,
)
from sourcebook.surfaces.book.errors import ADMIN, errors
from sourcebook.surfaces.book.schemas import Name
from sourcebook.surfaces.route_classes import AdminRoute
from sourcebook.surfaces.use_cases import Using

DEFAULT_FILES, MAX_FILES = 100, 1_000
MAX_OFFSET = 10**9

admin = APIRouter(tags=["books"], route_class=AdminRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)])

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


@admin.delete("/books/{book_id}", responses=errors(*ADMIN, 404, 409, 422, 503))
async def delete_book(book_id: BookId, use: Using) -> schemas.DeletedBookOut:
    """Delete a book from the index. Its files stay, and can be indexed again."""
    return deleted_out(await use.book_catalog.delete(book_id))
