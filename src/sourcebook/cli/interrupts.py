"""Ctrl+C as a wish: the first is heard and can be acted on, the second ends the process."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Stop:
    """Set when somebody wants us to stop."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    @property
    def wanted(self) -> bool:
        """Tell whether somebody asked."""
        return self.event.is_set()

    async def within(self, seconds: float) -> bool:
        """Wait, but not longer than until it is wanted; tell whether it is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.event.wait()
        return self.wanted


@contextmanager
def heard_stops() -> Iterator[Stop]:
    """Hear SIGINT and SIGTERM, each once."""
    loop = asyncio.get_running_loop()
    stop = Stop()

    def hear(name: signal.Signals) -> None:
        stop.event.set()
        loop.remove_signal_handler(name)

    names = (signal.SIGINT, signal.SIGTERM)
    for name in names:
        loop.add_signal_handler(name, hear, name)
    try:
        yield stop
    finally:
        for name in names:
            loop.remove_signal_handler(name)
