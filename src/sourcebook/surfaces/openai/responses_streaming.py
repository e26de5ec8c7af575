"""Writes an answer as the events of a streamed response."""

from collections.abc import Mapping

from sourcebook.answering.answer_events import AnswerGatherer
from sourcebook.core.answers import Answer, AnswerEvent, TextPiece
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.openai.errors import OpenAiErrorOut, crash_out, error_out, stopping_out
from sourcebook.surfaces.openai.responses_results import ResponseIds, response_out
from sourcebook.surfaces.openai.responses_schemas import OutputMessageOut
from sourcebook.surfaces.openai.results import ReplyContext
from sourcebook.surfaces.openai.streaming import json_frame

SEARCH, MESSAGE = 0, 1


class ResponseFrames:
    """The search, the text as it comes, its citations, then the whole response again."""

    def __init__(self, context: ReplyContext) -> None:
        self._context = context
        self._ids = ResponseIds()
        self._number = 0
        self._gatherer = AnswerGatherer()

    def begin(self) -> bytes:
        begun = self._response("in_progress")
        searching = {"output_index": SEARCH, "item_id": self._ids.search}
        search = {
            "id": self._ids.search,
            "type": "file_search_call",
            "status": "in_progress",
            "queries": [self._context.question.text],
            "results": None,
        }
        message = {
            "id": self._ids.message,
            "type": "message",
            "role": "assistant",
            "status": "in_progress",
            "content": [],
        }
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        return b"".join(
            [
                self._event("response.created", response=begun),
                self._event("response.in_progress", response=begun),
                self._event("response.output_item.added", output_index=SEARCH, item=search),
                self._event("response.file_search_call.in_progress", **searching),
                self._event("response.file_search_call.searching", **searching),
                self._event("response.file_search_call.completed", **searching),
                self._event("response.output_item.added", output_index=MESSAGE, item=message),
                self._in_text("response.content_part.added", part=part),
            ]
        )

    def event(self, event: AnswerEvent) -> bytes:
        if isinstance(event, TextPiece):
            self._gatherer.add(event)
            return self._delta(event.content)
        answer = self._gatherer.add(event)
        return b"" if answer is None else self._end(answer)

    def failed(self, error: SourcebookError) -> bytes:
        return self._broken_off(error_out(error))

    def crashed(self) -> bytes:
        return self._broken_off(crash_out())

    def stopping(self) -> bytes:
        return self._broken_off(stopping_out())

    def _end(self, answer: Answer) -> bytes:
        response = response_out(answer, self._context, self._ids)
        search, message = response.output
        assert isinstance(message, OutputMessageOut)  # noqa: S101 - for the type checker
        (part,) = message.content
        listed = part.text.removeprefix(answer.text)
        frames = [self._delta(listed)] if listed else []
        frames += [
            self._in_text(
                "response.output_text.annotation.added",
                annotation_index=index,
                annotation=one.model_dump(),
            )
            for index, one in enumerate(part.annotations)
        ]
        frames += [
            self._in_text("response.output_text.done", text=part.text, logprobs=[]),
            self._in_text("response.content_part.done", part=part.model_dump()),
            self._event("response.output_item.done", output_index=SEARCH, item=search.model_dump()),
            self._event(
                "response.output_item.done", output_index=MESSAGE, item=message.model_dump()
            ),
            self._event(f"response.{response.status}", response=response.model_dump()),
        ]
        return b"".join(frames)

    def _broken_off(self, error: OpenAiErrorOut) -> bytes:
        said = {"code": error.error.code or error.error.type, "message": error.error.message}
        failed = {**self._response("failed"), "error": said}
        return self._event("response.failed", response=failed)

    def _delta(self, content: str) -> bytes:
        return self._in_text("response.output_text.delta", delta=content, logprobs=[])

    def _in_text(self, kind: str, **fields: object) -> bytes:
        place = {"item_id": self._ids.message, "output_index": MESSAGE, "content_index": 0}
        return self._event(kind, **place, **fields)

    def _event(self, kind: str, **fields: object) -> bytes:
        content = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return json_frame(content, event=kind)

    def _response(self, status: str) -> Mapping[str, object]:
        """A response without an answer."""
        return {
            "id": self._ids.response,
            "object": "response",
            "created_at": self._context.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": self._context.model,
            "output": [],
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "usage": None,
        }
