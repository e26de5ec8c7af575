"""Readers that know some words."""

from collections.abc import Mapping, Sequence

from sourcebook.core.health import ServiceHealth
from sourcebook.core.readings import Calibration, ReadablePassage, Reading

# Only what the reader says counts.
READER_ALONE = Calibration(0.0, 1.0, 1.0, 0.0, 0.0)


class FakeReader:
    """Finds a passage relevant, and a sentence an answer, if it holds one of the known words."""

    name = "fake"

    def __init__(
        self, scores: Mapping[str, float], calibration: Calibration = READER_ALONE
    ) -> None:
        self._scores = scores
        self.calibration = calibration
        self.read_passages: list[ReadablePassage] = []

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        self.read_passages += passages
        return [
            Reading(
                self._score(one.text),
                tuple(self._score(one.text[part.start : part.end]) for part in one.parts),
            )
            for one in passages
        ]

    async def check(self) -> ServiceHealth:
        return ServiceHealth("up")

    async def load(self) -> None:
        """There is nothing to load."""

    def _score(self, text: str) -> float:
        return max((score for word, score in self._scores.items() if word in text), default=-4.0)
