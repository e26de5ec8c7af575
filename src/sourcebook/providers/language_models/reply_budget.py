"""The budget of one reply: time, turns, searches and retries."""

import asyncio
from dataclasses import dataclass

from sourcebook.core.errors import SourcebookError

MAX_TURNS = 4
MAX_SEARCHES = 4
MAX_RETRIES = 2
# A server that is rate limiting is well: it only needs to be asked later.
MAX_RATE_LIMIT_RETRIES = 4
# How long what is cancelled may take to end.
CANCEL_TIMEOUT_S = 1.0


@dataclass(slots=True)
class ReplyBudget:
    """Belongs to one reply.

    While it waits for another attempt, `waiting_after` is why the last one failed. `search_error`
    is what the search raised: the reply ends with it. `is_cut_off` if the model was stopped in the
    middle of its last turn.
    """

    deadline_s: float
    turns: int = 0
    searches: int = 0
    retries: int = 0
    has_text: bool = False
    is_cut_off: bool = False
    waiting_after: SourcebookError | None = None
    search_error: Exception | None = None

    @property
    def left_s(self) -> float:
        """The time that is left, by the clock of the event loop."""
        return self.deadline_s - asyncio.get_running_loop().time()

    def begin_turn(self) -> bool:
        """Use up one turn; return whether it may search. In the last one the model must answer."""
        self.turns += 1
        return self.searches < MAX_SEARCHES and self.turns < MAX_TURNS

    def take_search(self) -> bool:
        """Use up one search, if one is left, and a turn to tell what it found."""
        if self.searches >= MAX_SEARCHES or self.turns >= MAX_TURNS:
            return False
        self.searches += 1
        return True

    def take_retry(self, at_most: int = MAX_RETRIES) -> bool:
        """Use up one retry, if one is left. Text that was given out cannot be taken back."""
        if self.has_text or self.retries >= at_most:
            return False
        self.retries += 1
        return True
