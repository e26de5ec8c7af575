"""Which part of a conversation counts."""

from collections.abc import Sequence

from sourcebook.core.conversations import Exchange


def recent(
    exchanges: Sequence[Exchange], *, messages: int, tokens: int = 8_000
) -> tuple[Exchange, ...]:
    """The newest exchanges that fit, oldest first."""
    return tuple(exchanges[-(messages // 2) :]) if messages > 1 else ()
