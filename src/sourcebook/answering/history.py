"""Reads and saves conversations. If they cannot be read or saved, answers go on without them."""

import asyncio
import logging
from collections.abc import Sequence

from sourcebook.core.answers import History, Turn
from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import ConversationStore

log = logging.getLogger(__name__)
READ_TIMEOUT_S = 2.0
SAVE_TIMEOUT_S = 2.0
MESSAGES_PER_EXCHANGE = 2
# The rule of spec 004's own back end; a model's tokens are counted by the model's writer.
CHARACTERS_PER_TOKEN = 4
MAX_TOKENS = 8_000


class ConversationHistory:
    """Reads the recent exchanges of a session, and saves new ones."""

    def __init__(
        self,
        conversations: ConversationStore,
        messages: int,
        *,
        read_timeout_s: float = READ_TIMEOUT_S,
        save_timeout_s: float = SAVE_TIMEOUT_S,
    ) -> None:
        self._conversations = conversations
        self._messages = messages
        self._read_timeout_s = read_timeout_s
        self._save_timeout_s = save_timeout_s

    async def recent(self, session_id: str | None) -> Sequence[Exchange] | None:
        """The recent exchanges, oldest first; None if they cannot be read."""
        if session_id is None or not self._messages:
            return ()
        try:
            async with asyncio.timeout(self._read_timeout_s):
                latest = await self._conversations.latest(session_id, self._messages)
        except (HistoryUnavailable, TimeoutError):
            log.warning("history_unreadable")
            return None
        return newest_that_fit(latest, messages=self._messages)

    def told(self, turns: Sequence[Turn]) -> Sequence[Exchange]:
        """The exchanges that a client tells of, as many as would be read."""
        exchanges = [
            Exchange(
                id="",
                session_id="",
                query=turn.question,
                response=turn.answer,
                sources=(),
                mode="general",
                selected_text=None,
                chunks_retrieved=0,
                latency_ms=0.0,
                created_at_s=0.0,
            )
            for turn in turns
        ]
        return newest_that_fit(exchanges, messages=self._messages)

    async def save(self, exchange: Exchange) -> History:
        """Save an exchange, and say whether that worked."""
        try:
            async with asyncio.timeout(self._save_timeout_s):
                await self._conversations.add(exchange)
        except (HistoryUnavailable, TimeoutError):
            log.warning("history_not_kept")
            return "unavailable"
        return "saved"


def newest_that_fit(
    exchanges: Sequence[Exchange], *, messages: int, tokens: int = MAX_TOKENS
) -> tuple[Exchange, ...]:
    """The newest exchanges that fit, oldest first as they were given.

    Without gaps: the first that does not fit, seen from the newest, ends it. What was asked about
    a selection counts like the rest, because "Would you like me to search the full
    documentation?" is answered in general mode; the selection itself is not part of a message.
    """
    left = tokens * CHARACTERS_PER_TOKEN
    taken = 0
    for exchange in reversed(exchanges):
        left -= len(exchange.query) + len(exchange.response)
        if left < 0 or (taken + 1) * MESSAGES_PER_EXCHANGE > messages:
            break
        taken += 1
    return tuple(exchanges[len(exchanges) - taken :])


class NoConversations:
    """The conversation store of a service that keeps no conversations."""

    async def add(self, exchange: Exchange) -> None:
        """Not possible."""
        raise HistoryUnavailable("No conversations are kept here")

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        """Not possible."""
        raise HistoryUnavailable("No conversations are kept here")

    async def forget(self, session_id: str) -> int:
        """There is nothing to forget."""
        return 0

    async def purge(self) -> int:
        """There is nothing to delete."""
        return 0

    async def check(self) -> ServiceHealth:
        """It is not configured."""
        return ServiceHealth("down", message="not configured")
