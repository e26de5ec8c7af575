"""A search that finds what a test put there."""

from sourcebook.answering.evidence import Passage
from sourcebook.answering.retriever import Retrieved
from sourcebook.core.answers import Question
from sourcebook.core.errors import RetrievalUnavailable


class WiderRetrieval:
    """Finds these passages, or is away, and remembers what it was asked."""

    def __init__(self, *passages: Passage, is_away: bool = False) -> None:
        self._passages = passages
        self._is_away = is_away
        self.asked: list[tuple[Question, str]] = []

    async def retrieve(self, question: Question, text: str) -> Retrieved:
        self.asked.append((question, text))
        if self._is_away:
            raise RetrievalUnavailable("away")
        return Retrieved(self._passages, ("book",))
