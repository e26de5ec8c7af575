"""Parses chat requests of the RAG contract; InvalidField names an unusable field."""

import uuid
from collections.abc import Mapping, Sequence

from sourcebook.answering.rag_v3_chat import DEFAULT_MAX_TOKENS, ChatRequest, Lookup
from sourcebook.core.prompts import Message
from sourcebook.core.text import is_blank
from sourcebook.surfaces.errors import InvalidField
from sourcebook.surfaces.rag_v3.chat_schemas import RagChatIn, RagMessageIn
from sourcebook.surfaces.rag_v3.fields import DEFAULT_TOP_K, MAX_QUERY_LENGTH, read_number
from sourcebook.surfaces.rag_v3.parsing import document_query, parse

MAX_TEMPERATURE = 2.0


def parse_chat(given: object) -> ChatRequest:
    body = parse(RagChatIn, given, "a 'message'")
    said = [one for one in body.messages or () if not is_blank(one.content)]
    message, earlier = _split(body.message or "", said)
    lookup = _lookup(body)
    if lookup is not None and len(message) > MAX_QUERY_LENGTH:
        raise InvalidField(
            "message", f"message has {len(message)} characters, {MAX_QUERY_LENGTH} at most"
        )
    options = body.options or {}
    return ChatRequest(
        message,
        body.conversation_id or str(uuid.uuid4()),
        earlier,
        system=_system(body.system or "", said),
        lookup=lookup,
        temperature=_temperature(options),
        max_tokens=_max_tokens(options),
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
    return Lookup(top_k, document_query(body.rag_filters, "ragFilters"))


def _temperature(options: Mapping[str, object]) -> float | None:
    given = options.get("temperature")
    if given is None:
        return None
    number = read_number(given)
    if number is None or not 0.0 <= number <= MAX_TEMPERATURE:
        place = "options.temperature"
        raise InvalidField(place, f"{place} must be a number between 0 and {MAX_TEMPERATURE:g}")
    return number


def _max_tokens(options: Mapping[str, object]) -> int:
    """Return as many as are requested and possible. For Ollama -1 and -2 mean no limit."""
    for name in ("max_tokens", "num_predict"):
        given = options.get(name)
        if given is None:
            continue
        number = read_number(given)
        if number is None or number != int(number) or (number < 1 and number not in {-1, -2}):
            place = f"options.{name}"
            raise InvalidField(place, f"{place} must be a whole number of 1 or more")
        return DEFAULT_MAX_TOKENS if number < 0 else min(DEFAULT_MAX_TOKENS, int(number))
    return DEFAULT_MAX_TOKENS
