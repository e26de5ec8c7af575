"""Requests and replies of the RAG contract's chat."""

import unicodedata
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SkipValidation,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)
from pydantic_core import PydanticCustomError

from sourcebook.core.text import is_blank
from sourcebook.surfaces.explanations import MODE
from sourcebook.surfaces.rag_v3.fields import (
    DEFAULT_TOP_K,
    PLACE,
    REFUSED,
    STORABLE,
    Mode,
    RagIn,
    TopK,
    or_else,
    unusable,
)
from sourcebook.surfaces.rag_v3.schemas import CamelOut, FiltersIn, ProblemOut, Success
from sourcebook.surfaces.schema_types import WireModel

MAX_MESSAGES = 500
MAX_MESSAGE_LENGTH = 32_000
MAX_CONVERSATION_ID_LENGTH = 128
MAX_MODEL_LENGTH = 200

Role: TypeAlias = Literal["user", "assistant", "system"]
ROLES: tuple[Role, ...] = get_args(Role)


def _check_control_characters(text: str) -> str:
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise unusable(f"{PLACE} must not hold control characters")
    return text


def _only_with_rag(
    given: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> object:
    return validate(given) if info.data.get("use_rag") else None


# Otherwise what the field holds does not matter.
ONLY_WITH_RAG = WrapValidator(_only_with_rag)

ChatText: TypeAlias = Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH), STORABLE]
ConversationId: TypeAlias = Annotated[
    str,
    Field(max_length=MAX_CONVERSATION_ID_LENGTH),
    STORABLE,
    AfterValidator(_check_control_characters),
]


ModelName: TypeAlias = Annotated[
    str,
    Field(max_length=MAX_MODEL_LENGTH),
    STORABLE,
    AfterValidator(_check_control_characters),
]


class RagMessageIn(RagIn):
    """One message of a conversation."""

    role: Annotated[Role, or_else(f"must be one of {', '.join(ROLES)}")]
    # Some clients send nothing where an assistant only called a tool.
    content: Annotated[ChatText, BeforeValidator(lambda given: "" if given is None else given)]


class RagChatIn(RagIn):
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

    messages: list[RagMessageIn] | None = Field(
        None,
        max_length=MAX_MESSAGES,
        description="The conversation; without `message`, its last user message is the question",
    )
    message: ChatText | None = Field(None, validate_default=True)
    model: ModelName | None = Field(
        None,
        description="Another model of the configured server, if that is allowed"
        " (SOURCEBOOK_CHAT_MODELS)",
    )
    use_rag: bool | None = Field(
        False, strict=True, description="Reply on what the posted documents say"
    )
    rag_top_k: Annotated[TopK | None, ONLY_WITH_RAG] = DEFAULT_TOP_K
    rag_filters: Annotated[FiltersIn | None, ONLY_WITH_RAG] = None
    rag_mode: Annotated[Mode | None, ONLY_WITH_RAG] = Field(None, description=MODE)
    options: dict[str, Annotated[JsonValue, SkipValidation]] | None = Field(
        None,
        description="`temperature` (0 to 2), `top_p` (0 to 1), `presence_penalty` and"
        " `frequency_penalty` (-2 to 2), `seed`, `stop` (up to 4), `num_predict` or `max_tokens`;"
        " others are ignored",
    )
    conversation_id: ConversationId | None = Field(None, description="Made here if there is none")
    system: ChatText | None = None

    @field_validator("message")
    @classmethod
    def _require_a_question(cls, message: str | None, info: ValidationInfo) -> str | None:
        said: list[RagMessageIn] = info.data.get("messages") or []
        asked = any(one.role == "user" and not is_blank(one.content) for one in said)
        if not asked and is_blank(message or ""):
            raise PydanticCustomError(REFUSED, "Message is required")
        return message


class RagChatDataOut(CamelOut):
    """The reply; `message` and `response` are the same text."""

    message: str
    response: str
    conversation_id: str
    message_id: str
    model: str
    warning: str | None = None


class RagSourceOut(CamelOut):
    """A chunk that was retrieved; `text` is its beginning."""

    text: str
    score: float
    source: str
    title: str
    document_id: str


class RagChatOut(CamelOut):
    """The reply, and all chunks that were retrieved for it, best first.

    `warning` is there, here and in `data`, if something is wrong with the reply: it was cut off.
    """

    status: Success = "success"
    data: RagChatDataOut
    conversation_id: str
    model: str
    rag_used: bool
    rag_sources: list[RagSourceOut]
    warning: str | None = None


class RagChatErrorOut(WireModel):
    """What went wrong. `details` name the field that cannot be used, if it is that."""

    status: Literal["error"]
    error: str
    message: str
    details: ProblemOut | None = None
