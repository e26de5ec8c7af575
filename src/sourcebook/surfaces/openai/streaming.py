"""Writes an answer as the chunks of a streamed chat completion."""

from collections.abc import Mapping
from typing import assert_never

import orjson
from fastapi.sse import format_sse_event

from sourcebook.core.answers import (
    AnswerEvent,
    Citation,
    Finished,
    PlacesFound,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.answer_stream import AnswerStream
from sourcebook.surfaces.openai.citations import annotations, cited_out, cited_sources, source_list
from sourcebook.surfaces.openai.errors import (
    OpenAiErrorOut,
    crash_out,
    error_out,
    stopping_out,
)
from sourcebook.surfaces.openai.results import ReplyContext, finish_reason, new_id

DONE = format_sse_event(data_str="[DONE]")
# How the OpenAPI document describes a stream.
STREAM_CONTENT = {
    AnswerStream.media_type: {
        "itemSchema": {
            "type": "object",
            "properties": {"data": {"type": "string"}},
            "required": ["data"],
        }
    }
}


class CompletionFrames:
    """The role, the text, the citations in one chunk, the stop, the usage if asked for."""

    def __init__(self, context: ReplyContext, *, include_usage: bool) -> None:
        self._context = context
        self._include_usage = include_usage
        self._id = new_id("chatcmpl")
        self._pieces: list[str] = []
        self._citations: tuple[Citation, ...] = ()

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def event(self, event: AnswerEvent) -> bytes:
        match event:
            case TextPiece(content):
                self._pieces.append(content)
                return self._chunk({"content": content})
            case SourcesUsed(citations):
                self._citations = citations
                return b""
            case PlacesFound():
                return b""
            case Finished():
                return self._end(event)
            case _:
                assert_never(event)

    def failed(self, error: SourcebookError) -> bytes:
        return _broken_off(error_out(error))

    def crashed(self) -> bytes:
        return _broken_off(crash_out())

    def stopping(self) -> bytes:
        return _broken_off(stopping_out())

    def _end(self, event: Finished) -> bytes:
        context, text = self._context, "".join(self._pieces)
        sources = cited_sources(self._citations, context.links, context.kept)
        frames = []
        if context.lists_sources and sources:
            frames.append(self._chunk({"content": source_list(sources)}))
        cited = {"annotations": [one.model_dump() for one in annotations(text, sources)]}
        frames.append(self._chunk(cited, **cited_out(sources, event.facts).model_dump()))
        frames.append(self._chunk({}, finish_reason(event.facts)))
        if self._include_usage:
            usage = context.usage(text).model_dump()
            frames.append(self._frame({"choices": [], "usage": usage}))
        return b"".join([*frames, DONE])

    def _chunk(
        self, delta: Mapping[str, object], reason: str | None = None, **beside: object
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return self._frame({"choices": [choice], **beside})

    def _frame(self, content: Mapping[str, object]) -> bytes:
        about = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._context.created,
            "model": self._context.model,
        }
        return json_frame({**about, **content})


def json_frame(content: Mapping[str, object], event: str | None = None) -> bytes:
    """One frame of JSON, in which no text can begin another."""
    # JSON escapes line breaks; the other separators that some clients split at are escaped here.
    text = orjson.dumps(content).decode()
    for separator in ("\u2028", "\u2029", "\x85"):
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    return format_sse_event(data_str=text, event=event)


def _broken_off(error: OpenAiErrorOut) -> bytes:
    return json_frame(error.model_dump()) + DONE
