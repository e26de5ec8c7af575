"""Writers of answers that do what writers should not do."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from sourcebook.answering.writers import Brief


class SayingWriter:
    """Says what it was told to, whatever the evidence. Remembers its briefs and its end."""

    model = "puppet"
    refuses = False
    quotes = False

    def __init__(self, *pieces: str) -> None:
        self.pieces: Sequence[str] = pieces
        self.briefs: list[Brief] = []
        self.ended = 0

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        """The pieces."""
        self.briefs.append(brief)
        try:
            for piece in self.pieces:
                yield piece
            await self.finish()
        finally:
            self.ended += 1

    async def finish(self) -> None:
        """Nothing more."""


class HangingWriter(SayingWriter):
    """Never comes to an end."""

    async def finish(self) -> None:
        """Wait for nothing."""
        await asyncio.Event().wait()


class FailingWriter(SayingWriter):
    """Breaks off in the middle."""

    def __init__(self, error: Exception, *pieces: str) -> None:
        super().__init__(*pieces)
        self._error = error

    async def finish(self) -> None:
        """Fail."""
        raise self._error
