"""Writes answers with a language model, which may search for more evidence."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing

from sourcebook.answering.citation_markers import without_markers
from sourcebook.answering.prompts import (
    escape_delimiters,
    found_statements,
    instructions,
    with_evidence,
)
from sourcebook.answering.writers import Brief, Search
from sourcebook.core.answers import SourceField, Turn
from sourcebook.core.ports import LanguageModel
from sourcebook.core.prompts import Message, Prompt, SearchTool

GENERATION_TIMEOUT_S = 25.0
NOTHING_MORE = "Nothing else was found in the documentation."

_FIELDS: tuple[SourceField, ...] = ("source_url", "page_title", "section_heading")


class AgentWriter:
    """Has a language model write; the caller checks every sentence."""

    def __init__(
        self, language_model: LanguageModel, timeout_s: float = GENERATION_TIMEOUT_S
    ) -> None:
        self._language_model = language_model
        self._timeout_s = timeout_s

    refuses = True
    quotes = False

    @property
    def model(self) -> str:
        """The name that answers carry."""
        return self._language_model.name

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        """What the model says, with the ids of the statements it names."""
        asked = brief.asked or brief.question
        # In a thread: of twenty long passages it takes tens of milliseconds.
        shown = await asyncio.to_thread(with_evidence, asked, brief.passages, brief.quotable)
        prompt = Prompt(
            instructions(searching=brief.search is not None),
            (
                *_messages(brief.earlier),
                Message("user", shown),
            ),
            temperature=0.0,
        )
        tool = None if brief.search is None else _tool(brief.search)
        left_s = brief.deadline_s - asyncio.get_running_loop().time()
        timeout_s = min(self._timeout_s, max(0.0, left_s))
        async with aclosing(
            self._language_model.reply(prompt, tool, timeout_s=timeout_s)
        ) as pieces:
            async for piece in pieces:
                yield piece


def _messages(earlier: tuple[Turn, ...]) -> Iterator[Message]:
    """What was said before. Its markers are gone: their numbers mean other passages now."""
    for said in earlier:
        yield Message("user", said.question)
        if said.answer:
            yield Message("assistant", escape_delimiters(without_markers(said.answer)[0]))


def _tool(search: Search) -> SearchTool:
    async def search_documentation(
        query: str, top_k: int | None, filters: Mapping[str, object] | None
    ) -> str:
        found = await search(query, top_k, _sources(filters or {}))
        return found_statements(*found) or NOTHING_MORE

    return search_documentation


def _sources(filters: Mapping[str, object]) -> dict[SourceField, tuple[str, ...]]:
    """The fields that a search can be narrowed to; a model may name others, and those are void."""
    narrowed: dict[SourceField, tuple[str, ...]] = {}
    for field in _FIELDS:
        value = filters.get(field)
        values = value if isinstance(value, list) else [value]
        if kept := tuple(one for one in values if isinstance(one, str)):
            narrowed[field] = kept
    return narrowed
