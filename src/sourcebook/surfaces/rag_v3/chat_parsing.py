"""Makes chats of what contract 003 sends, or names the first field that cannot be used."""

import unicodedata
import uuid
from typing import Literal, TypeAlias, get_args

from sourcebook.answering.chats import MOST_TOKENS, Chat, Lookup
from sourcebook.core.language import Message
from sourcebook.core.metadata import is_blank
from sourcebook.surfaces.rag_v3.chat_schemas import (
    MAX_CONVERSATION_ID_LENGTH,
    MAX_MESSAGE_LENGTH,
    MAX_MESSAGES,
    MAX_TEMPERATURE,
)
from sourcebook.surfaces.rag_v3.errors import WHOLE_BODY, BadField
from sourcebook.surfaces.rag_v3.fields import (
    Fields,
    read_filters,
    read_number,
    read_object,
    read_text,
    read_top_k,
    short_text,
)
from sourcebook.surfaces.rag_v3.schemas import MAX_QUERY_LENGTH

Role: TypeAlias = Literal["user", "assistant", "system"]
Said: TypeAlias = tuple[Role, str]

_ROLES: tuple[Role, ...] = get_args(Role)


def parse_chat(given: object) -> Chat:
    """A message in its conversation."""
    fields = read_object(given, WHOLE_BODY, "The body must be a JSON object with a 'message'")
    said = _messages(fields)
    message, earlier = _split(_message(fields), said)
    lookup = _lookup(fields)
    if lookup is not None:
        short_text(message, "message", MAX_QUERY_LENGTH)
    options = _options(fields)
    return Chat(
        message,
        _conversation_id(fields),
        earlier,
        system=_system(fields, said),
        lookup=lookup,
        temperature=_temperature(options),
        max_tokens=_max_tokens(options),
    )


def _message(fields: Fields) -> str:
    return read_text(fields, "message", MAX_MESSAGE_LENGTH) or ""


def _messages(fields: Fields) -> list[Said]:
    given = fields.get("messages")
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadField("messages", "messages must be an array")
    if len(given) > MAX_MESSAGES:
        raise BadField("messages", f"messages has {len(given)} elements, {MAX_MESSAGES} at most")
    said = [_said(one, f"messages[{place}]") for place, one in enumerate(given)]
    return [(role, content) for role, content in said if not is_blank(content)]


def _said(given: object, place: str) -> Said:
    fields = read_object(given, place, f"{place} must be an object")
    role = next((role for role in _ROLES if role == fields.get("role")), None)
    if role is None:
        raise BadField(f"{place}.role", f"{place}.role must be one of {', '.join(_ROLES)}")
    # Some clients send nothing where an assistant only called a tool.
    content = read_text(fields, "content", MAX_MESSAGE_LENGTH, f"{place}.content")
    return role, content or ""


def _split(message: str, said: list[Said]) -> tuple[str, tuple[Message, ...] | None]:
    """The message that is to be answered, and what was said before it.

    Without one beside the conversation, it is the last user message, and what follows it is left
    out.
    """
    turns = [Message(role, content) for role, content in said if role != "system"]
    if is_blank(message):
        while turns and turns[-1].role != "user":
            turns.pop()
        if not turns:
            raise BadField("message", "Message is required")
        return turns[-1].content, tuple(turns[:-1])
    if not turns:
        return message, None
    # Clients that send both may have put the message at the end of the conversation already.
    repeated = turns[-1] == Message("user", message)
    return message, tuple(turns[:-1] if repeated else turns)


def _system(fields: Fields, said: list[Said]) -> str:
    """The system prompt, and below it what the conversation has of such."""
    given = read_text(fields, "system", MAX_MESSAGE_LENGTH) or ""
    parts = [given, *(content for role, content in said if role == "system")]
    return "\n\n".join(part for part in parts if not is_blank(part))


def _conversation_id(fields: Fields) -> str:
    name = "conversationId"
    given = read_text(fields, name, MAX_CONVERSATION_ID_LENGTH)
    if not given:
        return str(uuid.uuid4())
    if any(unicodedata.category(character) == "Cc" for character in given):
        raise BadField(name, f"{name} must not hold control characters")
    return given


def _lookup(fields: Fields) -> Lookup | None:
    use_rag = fields.get("useRag")
    if use_rag is not None and not isinstance(use_rag, bool):
        raise BadField("useRag", "useRag must be true or false")
    if not use_rag:
        return None
    return Lookup(read_top_k(fields, "ragTopK"), read_filters(fields, "ragFilters"))


def _options(fields: Fields) -> Fields:
    given = fields.get("options")
    return {} if given is None else read_object(given, "options", "options must be an object")


def _temperature(options: Fields) -> float | None:
    given = options.get("temperature")
    if given is None:
        return None
    number = read_number(given)
    if number is None or not 0.0 <= number <= MAX_TEMPERATURE:
        place = "options.temperature"
        raise BadField(place, f"{place} must be a number between 0 and {MAX_TEMPERATURE:g}")
    return number


def _max_tokens(options: Fields) -> int:
    """As many as are asked for and possible. Clients of Ollama say with -1 and -2: no limit."""
    for name in ("max_tokens", "num_predict"):
        given = options.get(name)
        if given is None:
            continue
        number = read_number(given)
        if number is None or number != int(number) or (number < 1 and number not in {-1, -2}):
            place = f"options.{name}"
            raise BadField(place, f"{place} must be a whole number of 1 or more")
        return MOST_TOKENS if number < 0 else min(MOST_TOKENS, int(number))
    return MOST_TOKENS
