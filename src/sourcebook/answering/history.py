"""How much of a conversation a question is answered with."""

from collections.abc import Sequence

from sourcebook.core.conversations import Exchange

MESSAGES_OF_AN_EXCHANGE = 2
# The rule of spec 004's own back end; a model's tokens are counted by the model's writer.
CHARACTERS_OF_A_TOKEN = 4
MAX_TOKENS = 8_000


def recent(
    exchanges: Sequence[Exchange], *, messages: int, tokens: int = MAX_TOKENS
) -> tuple[Exchange, ...]:
    """The newest exchanges that fit, oldest first as they were given.

    Without gaps: the first that does not fit, seen from the newest, ends it. What was asked about
    a selection counts like the rest, because "Would you like me to search the full
    documentation?" is answered in general mode; the selection itself is not part of a message.
    """
    left = tokens * CHARACTERS_OF_A_TOKEN
    taken = 0
    for exchange in reversed(exchanges):
        left -= len(exchange.query) + len(exchange.response)
        if left < 0 or (taken + 1) * MESSAGES_OF_AN_EXCHANGE > messages:
            break
        taken += 1
    return tuple(exchanges[len(exchanges) - taken :])
