"""A reader for one question, which reads nothing twice."""

from collections.abc import Sequence

from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Reader
from sourcebook.core.readings import Calibration, ReadablePassage, Reading


class RememberingReader:
    """Reads what another reader reads, and remembers it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, ReadablePassage], Reading] = {}

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
        """A reading of each passage, in order; of those that were read before, the same."""
        new = [one for one in dict.fromkeys(passages) if (question, one) not in self._known]
        if new:
            readings = await self._reader.read(question, new)
            self._known |= {
                (question, one): reading for one, reading in zip(new, readings, strict=True)
            }
        return [self._known[question, one] for one in passages]
