"""Queries of a book: what its reader may see and asks for, as a filter."""

from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.core.filters import Compare, Filter, OneOf, all_of
from sourcebook.core.metadata import Metadata
from sourcebook.core.search_modes import SearchMode


@dataclass(frozen=True, slots=True)
class BookScope:
    """The books, and the hardware tier up to which their reader may see; None for all of them."""

    book_ids: tuple[str, ...]
    hardware_tier: int | None = None

    @property
    def book_id(self) -> str | None:
        """The book, if it is one."""
        return self.book_ids[0] if len(self.book_ids) == 1 else None

    @property
    def filter(self) -> Filter:
        """Matches what is within the scope."""
        return all_of(self._parts())

    def includes(self, metadata: Metadata) -> bool:
        return self.filter.matches(metadata)

    def _parts(self) -> Iterator[Filter]:
        yield OneOf("book_id", self.book_ids)
        if self.hardware_tier is not None:
            yield Compare("hardware_tier", "lte", self.hardware_tier)


@dataclass(frozen=True, slots=True)
class BookQuery:
    """A question to books. The scope always holds; the rest narrows further.

    `mode` is what to search by; None for the service's default.
    """

    text: str
    scope: BookScope
    limit: int = 5
    module: str | None = None
    chapter_min: int | None = None
    chapter_max: int | None = None
    lesson: int | None = None
    proficiency_levels: tuple[str, ...] | None = None
    layer: str | None = None
    parent_doc_id: str | None = None
    mode: SearchMode | None = None
    least_score: float = 0.0

    @property
    def filter(self) -> Filter:
        """The scope and all that was asked for."""
        return all_of([self.scope.filter, *self._parts()])

    def _parts(self) -> Iterator[Filter]:
        if self.module is not None:
            yield OneOf("module", (self.module,))
        if self.chapter_min is not None:
            yield Compare("chapter", "gte", self.chapter_min)
        if self.chapter_max is not None:
            yield Compare("chapter", "lte", self.chapter_max)
        if self.lesson is not None:
            yield OneOf("lesson", (self.lesson,))
        if self.proficiency_levels is not None:
            yield OneOf("proficiency_level", self.proficiency_levels)
        if self.layer is not None:
            yield OneOf("layer", (self.layer,))
        if self.parent_doc_id is not None:
            yield OneOf("parent_doc_id", (self.parent_doc_id,))
