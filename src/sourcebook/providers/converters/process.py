"""Runs converters in a child process, which is killed at a time limit and replaced when it dies."""

import atexit
import base64
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.locations import read_locations
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.converters.recognition import Language
from sourcebook.providers.daemon_thread import in_daemon_thread

MIB = 1024 * 1024
DEFAULT_TIMEOUT_S = 120.0
DEFAULT_MEMORY_BYTES = 2048 * MIB
# How long a child without work stays.
IDLE_S = 60.0
MAX_REPLY_BYTES = 512 * MIB
# Nothing else of the environment is handed on: it holds keys.
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")

_Json: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ConversionLimits:
    """How long one file may take, and how much memory the process may have."""

    timeout_s: float = DEFAULT_TIMEOUT_S
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    timeout_setting: str = "SOURCEBOOK_CONVERSION_TIMEOUT_S"


class ConversionProcess:
    """One warm child process at most. Files wait for each other."""

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        self._limits = limits or ConversionLimits()
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._idle: threading.Timer | None = None

    async def convert(self, function: str, content: bytes) -> ConvertedDocument:
        """Convert a file with the function of that name; BookUnreadable."""
        return _document(await self._ask({"function": function}, content))

    async def render(self, function: str, content: bytes, page: int) -> bytes:
        """Draw a page of a file with the function of that name; BookUnreadable."""
        reply = await self._ask({"function": function, "page": page}, content)
        return base64.b64decode(str(reply["picture"]))

    async def recognize(
        self, function: str, content: bytes, page: int, language: Language
    ) -> ConvertedDocument:
        """Recognize the text of a page with the function of that name; BookUnreadable."""
        asked: _Json = {"function": function, "page": page}
        asked |= {"language": language.code, "tessdata": language.tessdata}
        return _document(await self._ask(asked, content))

    def close(self) -> None:
        """End the child."""
        if self._idle is not None:
            self._idle.cancel()
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    async def _ask(self, asked: _Json, content: bytes) -> _Json:
        # Other files may be first in line, each with the same time.
        return await in_daemon_thread(
            lambda: self._in_turn(asked, content), self._limits.timeout_s * 100
        )

    def _in_turn(self, asked: _Json, content: bytes) -> _Json:
        with self._lock:
            if self._idle is not None:
                self._idle.cancel()
            try:
                return self._in_child(asked, content)
            finally:
                self._idle = threading.Timer(IDLE_S, self._end_if_idle)
                self._idle.daemon = True
                self._idle.start()

    def _in_child(self, asked: _Json, content: bytes) -> _Json:
        was_used = self._child is not None
        try:
            return self._once(asked, content)
        except _MemorySpent:
            # What earlier files left behind may be to blame.
            if not was_used:
                raise
        return self._once(asked, content)

    def _once(self, asked: _Json, content: bytes) -> _Json:
        child = self._child = self._child or _Child(self._limits)
        try:
            return child.ask(asked, content)
        finally:
            if not child.is_usable:
                self._child = None

    def _end_if_idle(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()


class _MemorySpent(BookUnreadable):
    """The child had not enough memory, or died of it."""


class _Child:
    """A child process and its streams."""

    def __init__(self, limits: ConversionLimits) -> None:
        self._limits = limits
        self.is_usable = True
        self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [
                sys.executable,
                "-P",  # nothing in the working directory passes for a library
                "-m",
                "sourcebook.providers.converters.child",
                str(limits.memory_bytes),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
        atexit.register(self.kill)

    def ask(self, asked: _Json, content: bytes) -> _Json:
        """Have one file worked on; a child that did not reply is gone and may not be used again."""
        timed_out = threading.Event()

        def expire() -> None:
            timed_out.set()
            self._process.kill()

        timer = threading.Timer(self._limits.timeout_s, expire)
        timer.daemon = True
        timer.start()
        try:
            line = self._exchange(asked, content)
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            self.kill()
            raise self._death(timed_out=timed_out.is_set())
        try:
            return _checked(json.loads(line), self._limits)
        except BookUnreadable as error:
            if isinstance(error, _MemorySpent):
                self.kill()
            raise

    def kill(self) -> None:
        """End the process and close its streams."""
        self.is_usable = False
        atexit.unregister(self.kill)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _exchange(self, asked: _Json, content: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return b""
        line = json.dumps({**asked, "bytes": len(content)}).encode()
        try:
            stdin.write(line + b"\n" + content)
            stdin.flush()
        except OSError:
            return b""
        return stdout.readline(MAX_REPLY_BYTES)

    def _death(self, *, timed_out: bool) -> BookUnreadable:
        if timed_out:
            return BookUnreadable(
                f"It could not be converted within {self._limits.timeout_s:.0f} s: it may be"
                f" damaged; divide it, or raise {self._limits.timeout_setting}"
            )
        code = self._process.returncode
        ending = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return _MemorySpent(
            f"The converter ended abruptly ({ending}): the file is damaged, or takes more than"
            f" {self._limits.memory_bytes // MIB} MiB of memory"
        )


def _document(reply: _Json) -> ConvertedDocument:
    found = reply["document"]
    if not isinstance(found, dict):
        raise TypeError(f"The converter replied {found!r}")
    warnings, title = found.get("warnings"), found.get("title")
    pages = found.get("unread_pages")
    return ConvertedDocument(
        str(found.get("text", "")),
        read_locations(found.get("locations")),
        None if title is None else str(title),
        tuple(str(warning) for warning in warnings) if isinstance(warnings, list) else (),
        tuple(page for page in pages if isinstance(page, int)) if isinstance(pages, list) else (),
    )


def _checked(reply: _Json, limits: ConversionLimits) -> _Json:
    """Return what was made; BookUnreadable if it was not."""
    if "document" in reply or "picture" in reply:
        return reply
    if "out_of_memory" in reply:
        raise _MemorySpent(
            f"It takes more than {limits.memory_bytes // MIB} MiB of memory to convert: divide it,"
            " or raise SOURCEBOOK_CONVERSION_MEMORY_MB"
        )
    if "missing" in reply:
        raise BookUnreadable(
            f"Its converter needs {reply['missing']!r}, which is not installed: pip install"
            " 'sourcebook[documents]'"
        )
    if "crash" in reply:
        raise BookUnreadable(
            f"It cannot be read ({reply['crash']}): it seems to be damaged; open it and save it"
            " again"
        )
    raise BookUnreadable(str(reply.get("problem")))
