"""Structured logs: one event per line, with its request id. JSON unless on a terminal."""

import logging
import sys
from collections.abc import MutableMapping
from functools import cached_property
from typing import Any, TextIO

Event = MutableMapping[str, Any]

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_NOISY = (
    *("httpx", "httpcore", "httpx2", "httpcore2"),
    *("alembic", "aiosqlite", "asyncio", "filelock", "uvicorn.error"),
)


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to the current standard error, which a progress display replaces for a while."""

    @property
    def stream(self) -> TextIO:
        """Standard error, which a progress display replaces for a while."""
        return sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        """Keep what it is."""


class Formatter(logging.Formatter):
    """Writes records with structlog, which most commands never import: they log nothing."""

    def __init__(self, *, as_text: bool) -> None:
        super().__init__()
        self._as_text = as_text

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return self._inner.format(record)

    @cached_property
    def _inner(self) -> logging.Formatter:
        return _structured(as_text=self._as_text)


def set_up_logging(level: str, log_format: str) -> None:
    """Send every log record of the process to standard error."""
    handler = StandardError()
    handler.setFormatter(
        Formatter(as_text=log_format == "text" or (log_format == "auto" and sys.stderr.isatty()))
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


def _structured(*, as_text: bool) -> logging.Formatter:
    import structlog  # noqa: PLC0415 - see Formatter

    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        _add_extra,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[structlog.typing.Processor] = (
        # Plain tracebacks: the others show the values of variables, and with them people's texts.
        [
            structlog.dev.ConsoleRenderer(
                colors=True, exception_formatter=structlog.dev.plain_traceback
            )
        ]
        if as_text
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )


def _add_extra(_: object, __: str, event: Event) -> Event:
    record = event.get("_record")
    if isinstance(record, logging.LogRecord):
        event.update({k: v for k, v in vars(record).items() if k not in _STANDARD})
    return event
