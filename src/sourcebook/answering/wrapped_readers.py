"""Readers around the one that all questions share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Reader
from sourcebook.core.readings import Calibration, ReadablePassage, Reading


class WrappedReader:
    """Does as another reader does."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def name(self) -> str:
        """The other's."""
        return self._reader.name

    @property
    def calibration(self) -> Calibration:
        """The other's."""
        return self._reader.calibration

    async def load(self) -> None:
        """Get the other ready."""
        await self._reader.load()

    async def check(self) -> ServiceHealth:
        """How the other is."""
        return await self._reader.check()

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        """What the other makes of each passage, in order."""
        return await self._reader.read(question, passages)


class WatchedReader(WrappedReader):
    """Knows whether it is reading."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._under_way = 0

    @property
    def is_reading(self) -> bool:
        """Whether some question has to wait for another."""
        return self._under_way > 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Count as reading already while what is to be read is made ready."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        """What the other makes of each passage, in order."""
        with self.taken():
            return await super().read(question, passages)


class RememberingReader(WrappedReader):
    """Is for one question, and reads nothing twice."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._known: dict[tuple[str, ReadablePassage], Reading] = {}

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        """A reading of each passage, in order; of those that were read before, the same."""
        new = [one for one in dict.fromkeys(passages) if (question, one) not in self._known]
        if new:
            readings = await super().read(question, new)
            self._known |= {
                (question, one): reading for one, reading in zip(new, readings, strict=True)
            }
        return [self._known[question, one] for one in passages]
