"""Writes an answer as the frames of spec 004; the last one is always `done` or `error`."""

from sourcebook.core.answers import AnswerEvent
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.chat import schemas
from sourcebook.surfaces.chat.errors import crash_out, error_out, stopping_out
from sourcebook.surfaces.chat.results import event_out


class ChatFrames:
    """One frame for each event, after one that says that the question was taken."""

    def begin(self) -> bytes:
        return _frame(schemas.StatusEvent())

    def event(self, event: AnswerEvent) -> bytes:
        return _frame(event_out(event))

    def failed(self, error: SourcebookError) -> bytes:
        return _error(error_out(error))

    def crashed(self) -> bytes:
        return _error(crash_out())

    def stopping(self) -> bytes:
        return _error(stopping_out())


def _frame(event: schemas.Event) -> bytes:
    # In ASCII, JSON has no line break of any kind, so that one line takes it.
    return b"data: %b\n\n" % event.model_dump_json(ensure_ascii=True).encode()


def _error(said: schemas.ChatErrorOut) -> bytes:
    return _frame(schemas.ErrorEvent(**said.model_dump()))
