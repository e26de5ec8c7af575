"""Requests and replies of OpenAI's chat completions and its list of models."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from sourcebook.surfaces.schema_types import StrictIn, WireModel, refuse_nul

MAX_QUESTION_LENGTH = 2_000
MAX_MESSAGES = 1_000
MAX_NAME_LENGTH = 300

ModelName = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME_LENGTH), AfterValidator(refuse_nul)
]
Role = Literal["system", "developer", "user", "assistant", "tool", "function"]


class PartIn(StrictIn):
    """A part of a message. What is not text, such as an image, is left out."""

    type: str
    text: str | None = None


# In these lists the first error ends the check: a body has room for a hundred thousand.
Parts: TypeAlias = Annotated[list[PartIn], Field(fail_fast=True)]


class MessageIn(StrictIn):
    """A message of the conversation. Only questions and their answers are read."""

    role: Role
    content: str | Parts | None = None

    @property
    def text(self) -> str:
        """The words of all parts."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class StreamOptionsIn(StrictIn):
    """What a stream brings besides the answer."""

    include_usage: bool | None = None


class BoundsIn(StrictIn):
    """What an answer may use. OpenAI's clients can send strings only; other keys are ignored."""

    book: ModelName | None = Field(None, description="A book, for the model `sourcebook`")
    tier: Annotated[str, Field(max_length=20)] | int | None = Field(
        None, description="1 to 4: what lies above it does not exist"
    )


class ChatCompletionIn(StrictIn):
    """A conversation whose last question is to be answered. Other parameters are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "sourcebook",
                    "messages": [{"role": "user", "content": "What is ROS 2?"}],
                }
            ]
        }
    )

    model: ModelName = Field(description="`sourcebook`, or `sourcebook/BOOK`")
    messages: list[MessageIn] = Field(min_length=1, max_length=MAX_MESSAGES, fail_fast=True)
    stream: bool | None = Field(None, description="Reply with Server-Sent Events")
    stream_options: StreamOptionsIn | None = None
    metadata: BoundsIn | None = None


class UrlCitationOut(WireModel):
    """A source. `start_index` and `end_index` are where its `[number]` stands in the text."""

    url: str
    title: str
    start_index: int
    end_index: int


class AnnotationOut(WireModel):
    """A citation as chat completions nest it."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitationOut


class SearchResultOut(WireModel):
    """A source as search engines with this API list it."""

    title: str
    url: str
    snippet: str


class SourcebookOut(WireModel):
    """What only Sourcebook knows of an answer: `sources` have the exact places of the quotes."""

    answered: bool
    cut_off: bool
    model: str
    collections: list[str]
    sources: list[dict[str, JsonValue]]


class CitedOut(WireModel):
    """The citations of an answer in every way that clients read, by number."""

    citations: list[str]
    search_results: list[SearchResultOut]
    sourcebook: SourcebookOut


class AssistantMessageOut(WireModel):
    """An answer with its citations."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: str | None = None
    annotations: list[AnnotationOut]


FinishReason = Literal["stop", "length"]


class ChoiceOut(WireModel):
    """The only answer."""

    index: int = 0
    message: AssistantMessageOut
    logprobs: None = None
    finish_reason: FinishReason


class UsageOut(WireModel):
    """Estimates: four characters count as a token."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletionOut(CitedOut):
    """A whole answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChoiceOut]
    usage: UsageOut


class ModelOut(WireModel):
    """A book that can be asked, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "sourcebook"


class ModelsOut(WireModel):
    """The books that can be asked."""

    object: Literal["list"] = "list"
    data: list[ModelOut]
