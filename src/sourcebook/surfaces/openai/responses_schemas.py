"""Requests and replies of OpenAI's Responses API."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from sourcebook.surfaces.openai.schemas import (
    MAX_MESSAGES,
    BoundsIn,
    CitedOut,
    ModelName,
    Parts,
    UrlCitationOut,
)
from sourcebook.surfaces.schema_types import StrictIn, WireModel

Status = Literal["completed", "incomplete"]


class ItemIn(StrictIn):
    """A message of the conversation, or an item of another kind, which is left out."""

    type: str | None = None
    role: str | None = None
    content: str | Parts | None = None


def _last_items(given: object) -> object:
    """Leave out what is not read, before it is checked."""
    return given[-MAX_MESSAGES:] if isinstance(given, list) else given


Items = Annotated[list[ItemIn], Field(max_length=MAX_MESSAGES, fail_fast=True)]


class ResponseIn(StrictIn):
    """A question, or a conversation that ends with one. Other parameters are ignored."""

    model: ModelName = Field(description="`sourcebook`, or `sourcebook/BOOK`")
    input: Annotated[str | Items, BeforeValidator(_last_items)]
    stream: bool | None = Field(None, description="Reply with Server-Sent Events")
    previous_response_id: str | None = Field(
        None, description="Refused: responses are not stored. Send the conversation as `input`"
    )
    conversation: JsonValue = Field(None, description="Refused, as `previous_response_id` is")
    metadata: BoundsIn | None = None

    @property
    def items(self) -> list[ItemIn]:
        """The items of the conversation."""
        if isinstance(self.input, str):
            return [ItemIn(type="message", role="user", content=self.input)]
        return self.input


class FlatCitationOut(UrlCitationOut):
    """A citation as responses have it."""

    type: Literal["url_citation"] = "url_citation"


class OutputTextOut(WireModel):
    """The text of an answer, with its citations."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[FlatCitationOut]
    logprobs: list[JsonValue] = Field(default_factory=list)


class OutputMessageOut(WireModel):
    """The answer."""

    id: str
    type: Literal["message"] = "message"
    role: Literal["assistant"] = "assistant"
    status: Status = "completed"
    content: list[OutputTextOut]


class FoundFileOut(WireModel):
    """A source that the answer used."""

    file_id: str
    filename: str
    score: float
    text: str
    attributes: dict[str, str | float | bool]


class FileSearchOut(WireModel):
    """What was looked up."""

    id: str
    type: Literal["file_search_call"] = "file_search_call"
    status: Literal["completed"] = "completed"
    queries: list[str]
    results: list[FoundFileOut]


class InputTokensOut(WireModel):
    """Nothing is cached."""

    cached_tokens: int = 0


class OutputTokensOut(WireModel):
    """Nothing is reasoned."""

    reasoning_tokens: int = 0


class ResponseUsageOut(WireModel):
    """Estimates: four characters count as a token."""

    input_tokens: int
    input_tokens_details: InputTokensOut = InputTokensOut()
    output_tokens: int
    output_tokens_details: OutputTokensOut = OutputTokensOut()
    total_tokens: int


class IncompleteOut(WireModel):
    """Why an answer was cut off."""

    reason: Literal["max_output_tokens"] = "max_output_tokens"


class ResponseOut(CitedOut):
    """A whole answer: what was looked up, and the message."""

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Status
    error: None = None
    incomplete_details: IncompleteOut | None
    instructions: None = None
    metadata: dict[str, str] = Field(default_factory=dict)
    model: str
    output: list[FileSearchOut | OutputMessageOut]
    parallel_tool_calls: bool = False
    previous_response_id: None = None
    store: bool = False
    temperature: None = None
    tool_choice: Literal["auto"] = "auto"
    tools: list[JsonValue] = Field(default_factory=list)
    top_p: None = None
    usage: ResponseUsageOut
