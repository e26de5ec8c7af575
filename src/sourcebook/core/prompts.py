"""Prompts and messages for a language model, and the search tool it may call."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# Gives back what a search found, as text for the model: of a query, of how many chunks at most, of
# which sources (each field one value or a list). The arguments are the model's own, type-checked.
SearchTool: TypeAlias = Callable[[str, int | None, Mapping[str, object] | None], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its words, besides its temperature. The server decides what is None."""

    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that a model gets to read: instructions, then messages. The last is the user's.

    `model` is another model of the same server; None for the configured one.
    """

    instructions: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int = 4_096
    sampling: Sampling = field(default_factory=Sampling)
    model: str | None = None
