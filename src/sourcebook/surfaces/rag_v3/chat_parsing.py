"""Parses chat requests of the RAG contract; InvalidField names an unusable field."""

import uuid
from collections.abc import Callable, Sequence
from typing import TypeAlias

from sourcebook.answering.rag_v3_chat import DEFAULT_MAX_TOKENS, ChatRequest, Lookup
from sourcebook.core.errors import InvalidInput
from sourcebook.core.prompts import Message
from sourcebook.core.text import is_blank
from sourcebook.surfaces.rag_v3.chat_options import (
    parse_max_tokens,
    parse_number,
    parse_sampling,
)
from sourcebook.surfaces.rag_v3.chat_schemas import RagChatIn, RagMessageIn
from sourcebook.surfaces.rag_v3.fields import DEFAULT_TOP_K, MAX_QUERY_LENGTH
from sourcebook.surfaces.rag_v3.parsing import document_query, parse
from sourcebook.surfaces.request_errors import InvalidField

# Asks for a model by name, and gets the one to use: None for the configured. InvalidInput.
ChooseModel: TypeAlias = Callable[[str], str | None]


def parse_chat(given: object, choose_model: ChooseModel) -> ChatRequest:
    body = parse(RagChatIn, given, "a 'message'")
    said = [one for one in body.messages or () if not is_blank(one.content)]
    message, earlier = _split(body.message or "", said)
    lookup = _lookup(body)
    if lookup is not None and len(message) > MAX_QUERY_LENGTH:
        raise InvalidField(
            "message", f"message has {len(message)} characters, {MAX_QUERY_LENGTH} at most"
        )
    options = body.options or {}
    temperature = parse_number(options, "temperature", 0, 2)
    return ChatRequest(
        message,
        body.conversation_id or str(uuid.uuid4()),
        earlier,
        system=_system(body.system or "", said),
        lookup=lookup,
        temperature=temperature,
        max_tokens=parse_max_tokens(options, DEFAULT_MAX_TOKENS),
        sampling=parse_sampling(options),
        model=_model(body.model or "", choose_model),
    )


def _split(message: str, said: Sequence[RagMessageIn]) -> tuple[str, tuple[Message, ...] | None]:
    """Return the message to answer, and what was said before it.

    Without a `message` it is the conversation's last user message, and what follows is left out.
    """
    turns = [Message(one.role, one.content) for one in said if one.role != "system"]
    if is_blank(message):
        # The schema has made sure that there is one.
        while turns[-1].role != "user":
            turns.pop()
        return turns[-1].content, tuple(turns[:-1])
    if not turns:
        return message, None
    # Clients that send both may have put the message at the end of the conversation already.
    repeated = turns[-1] == Message("user", message)
    return message, tuple(turns[:-1] if repeated else turns)


def _system(given: str, said: Sequence[RagMessageIn]) -> str:
    """Join the system prompt and the system messages of the conversation."""
    parts = [given, *(one.content for one in said if one.role == "system")]
    return "\n\n".join(part for part in parts if not is_blank(part))


def _lookup(body: RagChatIn) -> Lookup | None:
    if not body.use_rag:
        return None
    top_k = DEFAULT_TOP_K if body.rag_top_k is None else body.rag_top_k
    return Lookup(top_k, document_query(body.rag_filters, "ragFilters"), body.rag_mode)


def _model(asked: str, choose_model: ChooseModel) -> str | None:
    try:
        return choose_model(asked.strip())
    except InvalidInput as error:
        raise InvalidField("model", error.message) from None
