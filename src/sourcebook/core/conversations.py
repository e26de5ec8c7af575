"""Exchanges: the questions and answers of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.answers import Mode
from sourcebook.core.metadata import JsonValue

# How an answer came about. The last two are chats of contract 003: on what was retrieved, or not.
ExchangeMode: TypeAlias = Literal[Mode, "rag", "plain"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer. `sources` are as they were shown; times are Unix seconds.

    The session's id is a secret: whoever has it can read the conversation. It is never logged.
    """

    id: str
    session_id: str
    query: str
    response: str
    sources: Sequence[Mapping[str, JsonValue]]
    mode: ExchangeMode
    selected_text: str | None
    chunks_retrieved: int
    latency_ms: float
    created_at_s: float
