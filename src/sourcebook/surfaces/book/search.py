"""Answers a search of the book contract, for its route and for commands."""

from typing import Protocol

from sourcebook.core.errors import InvalidInput
from sourcebook.search.book_query import BookQuery, BookScope
from sourcebook.search.books import Books
from sourcebook.search.default_books import DefaultBooks
from sourcebook.surfaces.book import results, schemas
from sourcebook.surfaces.use_cases import BookRules


class SearchesBook(Protocol):
    """The use cases of a search."""

    @property
    def books(self) -> Books: ...
    @property
    def default_books(self) -> DefaultBooks: ...
    @property
    def book_rules(self) -> BookRules: ...


async def search_out(use: SearchesBook, body: schemas.SearchIn) -> schemas.SearchOut:
    """Find the chunks that fit a question best, within what the reader may see."""
    named = None if body.book_id is None else (body.book_id,)
    query = _query(body, named or await use.default_books.ids())
    found = await use.books.search(query)
    hits = results.hits_out(found.hits, use.book_rules.base_url)
    reply = schemas.SearchOut(
        query=query.text,
        results=hits,
        total_found=len(hits),
        hardware_tier_filter=body.hardware_tier,
        module_filter=body.module,
        book_id=query.scope.book_id,
        mode=found.mode,
    )
    if found.corrected is not None:
        reply.corrected_query = found.corrected
    if body.explain:
        reply.explain = results.explain_out(found.explanation)
    return reply


def _query(body: schemas.SearchIn, book_ids: tuple[str, ...]) -> BookQuery:
    first, last = body.chapter_min, body.chapter_max
    if first is not None and last is not None and first > last:
        raise InvalidInput(
            f"'chapter_min' ({first}) must not be greater than 'chapter_max' ({last})"
        )
    levels = body.proficiency_levels
    return BookQuery(
        text=body.query,
        scope=BookScope(book_ids, body.hardware_tier),
        limit=body.limit,
        module=body.module,
        chapter_min=first,
        chapter_max=last,
        lesson=body.lesson,
        proficiency_levels=None if levels is None else tuple(levels),
        layer=body.layer,
        parent_doc_id=body.parent_doc_id,
        mode=body.mode,
        least_score=body.min_score or 0.0,
    )
