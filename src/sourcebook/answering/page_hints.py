"""Answers a question that points at the page it was asked on from that page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from sourcebook.answering.composer import narrowed
from sourcebook.answering.evidence import Passage, renumbered
from sourcebook.answering.question_subject import asks_about_whole_text
from sourcebook.answering.retriever import Retrieved
from sourcebook.core.answers import PageHint, Question, SourceField

_POINTS = re.compile(
    r"\b(?:(?:this|current)\s+(?:page|article|lesson|chapter|section|guide|tutorial)"
    r"|this\s+(?:mean|example|step|code|table|command)s?|here)\b",
    re.IGNORECASE,
)
# Sites put their own name after a title, or before it.
_BETWEEN_NAMES = re.compile(r"(?<!\s)\s++[|·•–—-]\s++")
_AFTER_PATH = re.compile(r"[?#]")
_INDEX = re.compile(r"/(?:index|readme)(?:\.html?)?$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.html?$", re.IGNORECASE)


class Retrieval(Protocol):
    """Searches for a question."""

    async def retrieve(self, question: Question, text: str) -> Retrieved: ...


async def find_on_page(retriever: Retrieval, question: Question, text: str) -> Retrieved | None:
    """Find what the page has; None if the question does not point at it, or nothing is found.

    The question is only ever narrowed: what it may not see, it does not see on a page either.
    """
    if question.page is None or not points_at_page(question.text):
        return None
    whole = asks_about_whole_text(question.text)
    wanted = (question.page.title if whole else "") or text
    for sources in _names(question.page):
        asked = narrowed(question, None, sources)
        if asked is not None:
            found = await retriever.retrieve(asked, wanted)
            if found.passages:
                return replace(found, passages=_in_order(found.passages)) if whole else found
    return None


def points_at_page(question: str) -> bool:
    """Return whether a question is about what the reader looks at, by its own words."""
    return asks_about_whole_text(question) or _POINTS.search(question) is not None


def _in_order(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages as they stand on the page: it says first what it is about."""
    placed = sorted(passages, key=lambda one: one.extent.spans[0].start if one.extent else 0)
    return renumbered(placed)


def _names(page: PageHint) -> Iterator[Mapping[SourceField, tuple[str, ...]]]:
    """Yield the ways in which an index may know the page: by address, else by title."""
    yield {"source_url": addresses_of(page.url)}
    if title := page.title.strip():
        parts = _BETWEEN_NAMES.split(title)
        yield {"page_title": tuple(dict.fromkeys((title, parts[0], parts[-1])))}


def addresses_of(url: str) -> tuple[str, ...]:
    """Return the addresses that servers show the same page under, the given one first."""
    # Not parsed: it may be no address at all.
    plain = _AFTER_PATH.split(url, maxsplit=1)[0]
    bare = plain.rstrip("/")
    ways = [plain, bare, f"{bare}/", _INDEX.sub("", bare), _EXTENSION.sub("", bare)]
    return tuple(dict.fromkeys(way for way in ways if way))
