"""Answers without a language model: quotes the blocks of the evidence that answer best."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from sourcebook.answering.blocks import Block, block_around, is_cut_code
from sourcebook.answering.question_subject import asks_about_whole_text
from sourcebook.answering.quotation import plain_text
from sourcebook.answering.statement_ids import places_to_quote
from sourcebook.answering.statements import Quotable
from sourcebook.answering.writers import Brief
from sourcebook.core.documents import Span

MODEL = "extractive"
# Of the first block, and of what is quoted beside it because that may not be the answer.
MAX_CHARACTERS = 400
MAX_CHARACTERS_BESIDE = 200
# How sure the reader has to be that the evidence answers for one block, or two, to be enough.
# docs/decisions/0055 has what else was tried.
SURE_PROBABILITIES = (0.95, 0.9)
# Of the best statement's rank, for what is quoted beside it; where no reader has read, they are
# closer together.
MIN_RELATIVE_RANK = 0.4
MIN_RELATIVE_RANK_UNREAD = 0.7
# What is longer may be a log, and code of which nobody reads all.
MAX_STATEMENT_CHARACTERS = 1_000


class ExtractiveWriter:
    """Quotes. What it says stands in the sources word for word."""

    model = MODEL
    refuses = False
    quotes = True

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        """Yield the best blocks, without what they cite."""
        for block in await asyncio.to_thread(best_blocks, brief):
            yield plain_text(brief.quotable, block)


def best_blocks(brief: Brief) -> tuple[Block, ...]:
    """The block of the best statement; the less sure that one is, the more beside it."""
    quotable = brief.quotable
    ranked = quotable_places(quotable, brief.ranks)
    is_before_reader = brief.mode == "selected_text" or brief.on_page
    if ranked and is_before_reader and asks_about_whole_text(brief.question):
        # Writers say first what it is about.
        return (block_around(quotable, min(ranked), MAX_CHARACTERS),)
    share = MIN_RELATIVE_RANK if brief.probability is not None else MIN_RELATIVE_RANK_UNREAD
    near = share * max((brief.ranks[place] for place in ranked), default=0.0)
    ranked = [place for place in ranked if brief.ranks[place] >= near]
    # Without a reader nothing is sure.
    count = 1 + sum((brief.probability or 0.0) < sure for sure in SURE_PROBABILITIES)
    blocks: list[Block] = []
    for place in ranked:
        if len(blocks) == count:
            break
        if not _is_said(quotable, blocks, place):
            limit = MAX_CHARACTERS_BESIDE if blocks else MAX_CHARACTERS
            blocks.append(block_around(quotable, place, limit))
    return tuple(_in_order(quotable, blocks))


def _is_said(quotable: Sequence[Quotable], blocks: Sequence[Block], place: int) -> bool:
    """Whether a statement stands in one of the blocks, or another one like it does."""
    said = {quotable[one].statement.text for block in blocks for one in block.places}
    return quotable[place].statement.text in said


def _in_order(quotable: Sequence[Quotable], blocks: Sequence[Block]) -> list[Block]:
    """The best one's passage first, and within a passage as they stand there."""
    passages = [quotable[block.best].statement.passage for block in blocks]
    return sorted(
        blocks, key=lambda one: (passages.index(quotable[one.best].statement.passage), one.best)
    )


def quotable_places(quotable: Sequence[Quotable], ranks: Sequence[float]) -> list[int]:
    """The places of what says something by itself, best first."""
    places = (place for place in places_to_quote(quotable) if _says_something(quotable[place]))
    return sorted(places, key=lambda place: (-ranks[place], place))


def _says_something(one: Quotable) -> bool:
    if len(one.shown) > MAX_STATEMENT_CHARACTERS or not one.statement.content:
        return False
    if one.kind == "code":
        # Without the sentence before it, nobody knows what it is for.
        return one.block.start < one.statement.start and not is_cut_code(one)
    # A single word says nothing, unless it is one of a list.
    is_alone = one.block == Span(one.statement.start, one.statement.end)
    return len(one.statement.words) > 1 or not is_alone
