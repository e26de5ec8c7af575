"""Where a reader may look on: beside an answer, and after a refusal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from sourcebook.answering.blocks import Block, block_around
from sourcebook.answering.citations import address_of
from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.evidence_judge import Evidence
from sourcebook.answering.extractive import MAX_CHARACTERS, quotable_places
from sourcebook.answering.quotation import plain_text
from sourcebook.answering.refusal import RELATED_SHARE, nearest_similarity, similarity_of
from sourcebook.answering.statements import Quotable, Statement, in_one_line
from sourcebook.answering.writers import Brief
from sourcebook.core.answers import ClosestPlace, Question
from sourcebook.core.text import shorten

MAX_PLACES = 3
# Whoever asks about something else altogether is not sent anywhere.
MIN_CLOSE_SIMILARITY = 0.25
# From here on, what comes nearest to a question that is refused may help.
MIN_HELPFUL_PROBABILITY = 0.2
# Of the best statement's rank: what answers, too.
MIN_FURTHER_RANK = 0.5
MAX_LINE_CHARACTERS = 160


def further_places(brief: Brief, blocks: Sequence[Block]) -> tuple[ClosestPlace, ...]:
    """Places under other headings than the blocks that answer nearly as well, with a line each."""
    passages = by_number(brief.passages)
    shown = {_place(passages, brief.quotable[block.best]) for block in blocks}
    found: dict[ClosestPlace, Quotable] = {}
    for place in quotable_places(brief.quotable, brief.ranks):
        if brief.ranks[place] < MIN_FURTHER_RANK:
            break
        at = _place(passages, brief.quotable[place])
        if at not in shown:
            found.setdefault(at, brief.quotable[place])
    return tuple(
        _at_words(at, passages, one, shorten(in_one_line(one.shown), MAX_LINE_CHARACTERS))
        for at, one in islice(found.items(), MAX_PLACES)
    )


def closest_places(question: Question, evidence: Evidence) -> tuple[ClosestPlace, ...]:
    """Where a reader may look on after a refusal, nearest first; nowhere beside a selection.

    Between a clear yes and a clear no, the first place comes with the block that may help.
    """
    if question.selection is not None:
        return ()
    passages, judgement = evidence.passages, evidence.judgement
    ranks = () if judgement is None else judgement.ranks
    ranked = quotable_places(evidence.quotable, ranks) if ranks else []
    best = _best_statements(evidence.quotable, ranked)
    least = max(MIN_CLOSE_SIMILARITY, RELATED_SHARE * nearest_similarity(passages))
    near = [place_of(one, best.get(one.number)) for one in passages if similarity_of(one) >= least]
    probability = None if judgement is None else judgement.probability
    if ranked and probability is not None and probability >= MIN_HELPFUL_PROBABILITY:
        block = block_around(evidence.quotable, ranked[0], MAX_CHARACTERS)
        shown, numbered = evidence.quotable[ranked[0]], by_number(passages)
        first = _place(numbered, shown)
        helpful = _at_words(first, numbered, shown, plain_text(evidence.quotable, block))
        near = [helpful, *(one for one in near if one != first)]
    return tuple(dict.fromkeys(near))[:MAX_PLACES]


def _best_statements(quotable: Sequence[Quotable], ranked: Sequence[int]) -> dict[int, Statement]:
    """The statement of each passage that ranks highest, by the number of the passage."""
    statements = [quotable[place].statement for place in reversed(ranked)]
    return {statement.passage: statement for statement in statements}


def place_of(passage: Passage, nearest: Statement | None) -> ClosestPlace:
    """The place of a passage; of one with several sections, that of its nearest statement."""
    source = passage.source
    if nearest is None:
        return ClosestPlace(source.title, source.heading, source.url)
    section = source.section_at(nearest.start)
    return ClosestPlace(source.title, section.heading, section.url)


def _place(passages: Mapping[int, Passage], one: Quotable) -> ClosestPlace:
    return place_of(passages[one.statement.passage], one.statement)


def _at_words(
    place: ClosestPlace, passages: Mapping[int, Passage], one: Quotable, text: str
) -> ClosestPlace:
    """The same place with its text, and with the address of the statement."""
    return replace(place, url=address_of(passages[one.statement.passage], one.cited), text=text)
