"""Limits what a language model may say: some repeat themselves until somebody stops them."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sourcebook.core.errors import ReplyCutOff

# About 8,000 tokens: four times what a long answer takes.
MAX_REPLY_CHARACTERS = 32_000
MAX_REPLY_SENTENCES = 400
# Nothing that is quoted is longer: a selection has as many characters at most.
MAX_SENTENCE_CHARACTERS = 10_000


async def limit_reply(pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """Pass pieces on; ReplyCutOff after the last character that a reply may have."""
    left = MAX_REPLY_CHARACTERS
    async with aclosing(pieces):
        async for piece in pieces:
            if len(piece) > left:
                yield piece[:left]
                raise ReplyCutOff(
                    f"The language model wrote more than {MAX_REPLY_CHARACTERS:,} characters and"
                    " was stopped: ask for less at once"
                )
            left -= len(piece)
            yield piece


def check_sentence_count(count: int) -> None:
    """ReplyCutOff if a reply has more sentences than are checked."""
    if count > MAX_REPLY_SENTENCES:
        raise ReplyCutOff(
            f"The language model wrote more than {MAX_REPLY_SENTENCES} sentences and was stopped:"
            " ask for less at once"
        )
