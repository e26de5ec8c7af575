"""What `ask` does. Imports the service, so the command loads it only when it runs."""

import asyncio
import sys
import uuid
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from pathlib import Path

import httpx2
from pydantic import ValidationError

from sourcebook.cli.answers import AnswerText, Asking, show_sources
from sourcebook.cli.book_client import BookClient
from sourcebook.cli.chat_client import ChatClient
from sourcebook.cli.reaching import reach_service
from sourcebook.cli.searching import nothing_indexed
from sourcebook.cli.terminal import err, out
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import is_blank
from sourcebook.service.settings import Settings
from sourcebook.surfaces.chat.schemas import (
    MAX_SELECTION_LENGTH,
    ChatIn,
    ChatMetadataOut,
    ChunkEvent,
    DoneEvent,
    SourcesEvent,
)

STANDARD_INPUT = "-"
NEW_SESSION = "new"
# No character of UTF-8 is longer.
BYTES_PER_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was typed. `selection` names a file, `-` standard input."""

    question: str
    selection: str | None = None
    session: str | None = None
    tier: int | None = None
    top_k: int = 5
    book: str | None = None


def ask(settings: Settings, asked: Asked, *, as_json: bool) -> bool:
    """Print the answer; False if there is none."""
    return asyncio.run(_ask(settings, asked, _question(asked), as_json=as_json))


async def _ask(settings: Settings, asked: Asked, question: ChatIn, *, as_json: bool) -> bool:
    if asked.session == NEW_SESSION:
        # From here on Ctrl-C is heard in good order.
        err.print(f"A new conversation; go on with --session {question.session_id}")
    async with reach_service(settings, "read") as http:
        client = ChatClient(http)
        if as_json:
            reply = await client.ask(question)
            print(reply.model_dump_json(exclude_unset=True))
            return reply.metadata.answered
        facts = await _show(client, question, Asking(asked.question, _selection_name(asked)))
        if facts.history == "unavailable":
            err.print("The conversation cannot be read and kept now: this answer stands alone")
        if not facts.answered:
            await _help_on(http, question, facts)
    return facts.answered


async def _show(client: ChatClient, question: ChatIn, asking: Asking) -> ChatMetadataOut:
    """Print the answer as it comes; how it came about."""
    text = AnswerText(out)
    with ExitStack() as waiting:
        waiting.enter_context(err.status("Looking it up …"))
        try:
            async with aclosing(client.stream(question)) as events:
                async for event in events:
                    waiting.close()
                    match event:
                        case ChunkEvent(content=content):
                            text.write(content)
                        case SourcesEvent(sources=sources):
                            text.end()
                            show_sources(sources, asking, out)
                        case DoneEvent(metadata=metadata):
                            facts = metadata
        finally:
            text.end()
    return facts


async def _help_on(http: httpx2.AsyncClient, question: ChatIn, facts: ChatMetadataOut) -> None:
    """One line, if there is anything to do about a refusal."""
    if question.mode == "selected_text":
        err.print("Ask without --selection to search the whole book")
    elif not facts.chunks_retrieved:
        info = await BookClient(http).info(question.book_id)
        if not info.total_chunks:
            err.print(nothing_indexed(info.book_id))


def _question(asked: Asked) -> ChatIn:
    new = asked.session == NEW_SESSION
    given = {
        "query": asked.question,
        "session_id": str(uuid.uuid4()) if new else asked.session,
        "top_k": asked.top_k,
        "book_id": asked.book,
        "hardware_tier": asked.tier,
    }
    if asked.selection is not None:
        given |= {"mode": "selected_text", "selected_text": _read(asked.selection)}
    try:
        return ChatIn.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(f"{found['loc'][0]}: {found['msg']}") from None


def _selection_name(asked: Asked) -> str | None:
    return "standard input" if asked.selection == STANDARD_INPUT else asked.selection


def _read(name: str) -> str:
    """The text of a selection, unchanged; InvalidInput if it cannot be one."""
    try:
        content = _bytes_of(name, most=MAX_SELECTION_LENGTH * BYTES_PER_CHARACTER + 1)
    except OSError as error:
        raise InvalidInput(f"The selection {name!r} cannot be read: {error.strerror}") from None
    most = MAX_SELECTION_LENGTH
    too_long = InvalidInput(
        f"The selection {name!r} is too long: {most} characters at most; please shorten it"
    )
    if len(content) > most * BYTES_PER_CHARACTER:
        raise too_long
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"The selection {name!r} is not UTF-8 text") from None
    if len(text) > most:
        raise too_long
    if is_blank(text):
        raise InvalidInput(f"The selection {name!r} is empty")
    return text


def _bytes_of(name: str, most: int) -> bytes:
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read(most)
    with Path(name).open("rb") as file:
        return file.read(most)
