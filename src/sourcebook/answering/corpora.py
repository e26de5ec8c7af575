"""The collections that answers come from: what a question may see, and how a source is named."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, unquote

from sourcebook.answering.evidence import Section, Source
from sourcebook.core.answers import Question, SourceField
from sourcebook.core.chunk_sections import sections_of
from sourcebook.core.documents import Chunk
from sourcebook.core.filters import AnyOf, Filter, OneOf, all_of
from sourcebook.core.hardware_tiers import is_within_tier, tier_filter
from sourcebook.core.lesson_links import (
    is_room_link,
    lesson_url,
    page_link,
    read_room_link,
    room_link,
)
from sourcebook.core.locations import PAGE_ANCHOR
from sourcebook.core.metadata import Metadata
from sourcebook.core.posted_documents import OWN_PREFIX
from sourcebook.search.book_query import BookScope
from sourcebook.text.markup import mask_markup
from sourcebook.text.segments import split_segments

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_UNREAD = re.compile(r"[\x00-\x20]")
_HERE = "./"
# Where clients keep the address of a document; the first that has one counts.
_URL_FIELDS = ("source_url", "source", "url")
_BOOK_FIELDS: Mapping[str, str] = {
    "page_title": "lesson_title",
    "section_heading": "section_titles",
}
# Matches nothing, so there is nothing to search for.
NOTHING: Filter = AnyOf(())
# Where documents outside of books name a tier, if they do.
TIER_FIELDS = ("hardware_tier", f"{OWN_PREFIX}hardware_tier")


class Corpus(Protocol):
    """One collection, and what of it a question may see."""

    @property
    def collection(self) -> str:
        """Its name."""
        ...

    def scope(self, question: Question) -> Filter:
        """What the question may see at all, and what it asks for."""
        ...

    def source(self, chunk: Chunk) -> Source:
        """Where a chunk stands, in the words of a citation."""
        ...


@dataclass(frozen=True, slots=True)
class BookCorpus:
    """The lessons of the books."""

    collection: str
    book_id: str
    base_url: str | None = None

    def scope(self, question: Question) -> Filter:
        """The books and the tier as search binds them, and the sources that are asked for."""
        book_ids = question.book_ids or question.default_book_ids or (self.book_id,)
        bound = BookScope(book_ids, question.hardware_tier)
        return all_of(
            [
                bound.filter,
                *_openings(question),
                *_equal(question.sources, _BOOK_FIELDS),
                *self._at(question.sources.get("source_url")),
            ]
        )

    def source(self, chunk: Chunk) -> Source:
        """The lesson, at the heading."""
        about = chunk.metadata
        file = _text(about, "source_file")
        book_id = _text(about, "book_id") or self.book_id

        def url(anchor: str | None) -> str:
            link = page_link(about, self.base_url, anchor)
            if link is None:
                return _without_scheme(file or "")
            if self.base_url or _WEB.match(link):
                return link
            return room_link(chunk.document_id, book_id, anchor)

        return Source(
            url=url(_text(about, "anchor")),
            title=_text(about, "lesson_title") or file or "",
            heading=_text(about, "section_title") or "",
            file=file,
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            collection=self.collection,
            book_id=book_id,
            sections=tuple(
                Section(section.start, section.title, url(section.anchor or None))
                for section in sections_of(about)
            ),
        )

    def _at(self, urls: Sequence[str] | None) -> Iterator[Filter]:
        """A page, or one heading of it, by the address that citations show; or its file."""
        if urls is None:
            return
        root = lesson_url(self.base_url, "")
        places: list[Filter] = [OneOf("source_file", _as_stored(urls))]
        for url in urls:
            if is_room_link(url):
                document_id, section = read_room_link(url)
                place: list[Filter] = [OneOf("parent_doc_id", (document_id,))]
                if section is not None:
                    place.append(OneOf("section_anchors", (section,)))
                places.append(all_of(place))
                continue
            page, _, anchor = url.partition("#")
            pages: list[Filter] = [OneOf("source_url", (page,))]
            if page == root or page.startswith(root + "/"):
                pages.append(OneOf("lesson_path", (_encoded(page[len(root) :]),)))
            parts: list[Filter] = [AnyOf(tuple(pages))]
            if anchor and not f"#{anchor}".startswith(PAGE_ANCHOR):
                parts.append(OneOf("section_anchors", (unquote(anchor),)))
            places.append(all_of(parts))
        yield AnyOf(tuple(places))


@dataclass(frozen=True, slots=True)
class PostedCorpus:
    """The documents that tools posted. They belong to no book."""

    collection: str

    def scope(self, question: Question) -> Filter:
        """What the question asks for, as `_outside_books` binds it."""
        return _outside_books(question, urls=("path",), title="title")

    def source(self, chunk: Chunk) -> Source:
        """The document, by its path."""
        about = chunk.metadata
        path = _text(about, "path") or ""
        return Source(
            url=_without_scheme(path),
            title=_text(about, "title") or path,
            heading=_first_heading(chunk.text),
            file=path or None,
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            collection=self.collection,
        )


@dataclass(frozen=True, slots=True)
class AdoptedCorpus:
    """What another tool collected. It belongs to no book."""

    collection: str

    def scope(self, question: Question) -> Filter:
        """What the question asks for, as `_outside_books` binds it."""
        return _outside_books(question, urls=("source_url",), title="page_title")

    def source(self, chunk: Chunk) -> Source:
        """The page, at the heading, as far as the other tool has noted them."""
        about = chunk.metadata
        url = _text(about, "source_url") or ""
        return Source(
            url=_without_scheme(url),
            title=_text(about, "page_title") or url,
            heading=_text(about, "section_heading") or _first_heading(chunk.text),
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            collection=self.collection,
        )


@dataclass(frozen=True, slots=True)
class CollectionCorpus:
    """A collection that clients fill. A question has to name it."""

    collection: str

    def scope(self, question: Question) -> Filter:
        """What the question asks for, as `_outside_books` binds it."""
        return _outside_books(question, urls=_URL_FIELDS, title="title")

    def source(self, chunk: Chunk) -> Source:
        """The document, by what its metadata say of it; at least by its id."""
        about = chunk.metadata
        url = next((url for field in _URL_FIELDS if (url := _text(about, field))), "")
        return Source(
            url=_without_scheme(url),
            title=_text(about, "title") or url or chunk.document_id,
            heading=_text(about, "section_heading") or _first_heading(chunk.text),
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            collection=self.collection,
        )


def choose_corpora(defaults: Sequence[Corpus], names: Sequence[str] | None) -> list[Corpus]:
    """The corpora of these names, each once; without names, the default ones."""
    if names is None:
        return list(defaults)
    known = {corpus.collection: corpus for corpus in reversed(defaults)}
    return [known.get(name) or CollectionCorpus(name) for name in dict.fromkeys(names)]


def is_visible(question: Question, chunk: Chunk) -> bool:
    """Return whether the chunk names no tier above the question's, in whatever words."""
    tier = question.hardware_tier
    return tier is None or all(is_within_tier(chunk.metadata, field, tier) for field in TIER_FIELDS)


def _outside_books(question: Question, *, urls: Sequence[str], title: str) -> Filter:
    """What the question asks for, under these names, of what belongs to no book.

    A question that is bound to a book or a tier does not mean such documents, unless it names
    their collection. Then it sees those that name no tier above its own.
    """
    is_bound = question.book_ids is not None or question.hardware_tier is not None
    if is_bound and question.collections is None:
        return NOTHING
    fields = {"page_title": title, "section_heading": "section_heading"}
    parts = list(_equal(question.sources, fields))
    wanted = question.sources.get("source_url")
    if wanted is not None:
        parts.append(AnyOf(tuple(OneOf(field, _as_stored(wanted)) for field in urls)))
    if question.hardware_tier is not None:
        parts += [tier_filter(field, question.hardware_tier) for field in TIER_FIELDS]
    return all_of(parts)


def _equal(
    wanted: Mapping[SourceField, tuple[str, ...]], fields: Mapping[str, str]
) -> Iterator[Filter]:
    for name, values in wanted.items():
        if name in fields:
            yield OneOf(fields[name], values)


def _openings(question: Question) -> Iterator[Filter]:
    if question.only_openings:
        yield OneOf("chunk_index", (0,))


def _first_heading(text: str) -> str:
    masked = mask_markup(text)
    headings = (piece for piece in split_segments(text, masked) if piece.kind == "heading")
    first = next(headings, None)
    return masked.plain(first.start, first.end) if first else ""


def _without_scheme(path: str) -> str:
    """A path that no browser takes for another scheme, like `javascript:`."""
    # Browsers read past white space and control characters.
    read = _UNREAD.sub("", path)
    return _HERE + path if _SCHEME.match(read) and not _WEB.match(path) else path


def _as_stored(urls: Sequence[str]) -> tuple[str, ...]:
    """The paths that may be shown like this."""
    return tuple(dict.fromkeys([*urls, *(url.removeprefix(_HERE) for url in urls)]))


def _encoded(path: str) -> str:
    """A lesson's path as it is stored, whether it was written so or in plain letters."""
    parts = (quote(unquote(part), safe="", errors="replace") for part in path.split("/") if part)
    return "/".join(parts)


def _text(about: Metadata, field: str) -> str | None:
    # A collection may hold documents that others posted, with metadata of any type.
    value = about.get(field)
    return value if isinstance(value, str) else None
