"""What contract 003's chat sends and receives. `chat_parsing` checks what comes in."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from sourcebook.surfaces.rag_v3.schemas import MAX_TOP_K, FiltersIn, ProblemOut, Success

MAX_MESSAGES = 500
MAX_MESSAGE_LENGTH = 32_000
MAX_CONVERSATION_ID_LENGTH = 128
MAX_TEMPERATURE = 2.0


class _Wire(BaseModel):
    """Names are in camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class RagMessageIn(BaseModel):
    """One message of a conversation."""

    role: Literal["user", "assistant", "system"]
    content: str = Field(max_length=MAX_MESSAGE_LENGTH)


class RagChatIn(_Wire):
    """A message, or the whole conversation up to it. Other fields are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "messages": [{"role": "user", "content": "How much can the arm lift?"}],
                    "useRag": True,
                }
            ]
        }
    )

    message: str | None = Field(None, max_length=MAX_MESSAGE_LENGTH)
    messages: list[RagMessageIn] | None = Field(
        None,
        max_length=MAX_MESSAGES,
        description="The conversation; without `message`, its last user message is the question",
    )
    model: JsonValue = Field(None, description="Ignored: the configured model replies")
    system: str | None = Field(None, max_length=MAX_MESSAGE_LENGTH)
    options: dict[str, JsonValue] | None = Field(
        None,
        description="`temperature` from 0 to 2, `num_predict` or `max_tokens`; others are ignored",
    )
    conversation_id: str | None = Field(
        None, max_length=MAX_CONVERSATION_ID_LENGTH, description="Made here if there is none"
    )
    use_rag: bool | None = Field(False, description="Reply on what the posted documents say")
    rag_top_k: int | None = Field(5, ge=1, le=MAX_TOP_K)
    rag_filters: FiltersIn | None = None


class RagChatDataOut(_Wire):
    """The reply; `message` and `response` are the same text."""

    message: str
    response: str
    conversation_id: str
    message_id: str
    model: str


class RagSourceOut(_Wire):
    """A chunk that was retrieved; `text` is its beginning."""

    text: str
    score: float
    source: str
    title: str
    document_id: str


class RagChatOut(_Wire):
    """The reply, and all chunks that were retrieved for it, best first."""

    status: Success = "success"
    data: RagChatDataOut
    conversation_id: str
    model: str
    rag_used: bool
    rag_sources: list[RagSourceOut]


class RagChatErrorOut(BaseModel):
    """What went wrong. `details` name the field that cannot be used, if it is that."""

    status: Literal["error"]
    error: str
    message: str
    details: ProblemOut | None = None
