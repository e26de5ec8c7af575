"""Ids of statements: `2.3` is the third statement of the second passage that can be quoted."""

from collections import Counter
from collections.abc import Sequence

from sourcebook.answering.statements import Quotable, governing_leads

# What a writer says instead of ids, if no statement answers the question.
REFUSED = "NONE"
_WITHOUT_ID = frozenset({"heading", "header"})


def statement_ids(quotable: Sequence[Quotable]) -> dict[str, int]:
    """The places of all statements that can be quoted, by their ids."""
    counts: Counter[int] = Counter()
    places: dict[str, int] = {}
    for place, one in enumerate(quotable):
        if can_be_quoted(quotable, place):
            passage = one.statement.passage
            counts[passage] += 1
            places[f"{passage}.{counts[passage]}"] = place
    return places


def can_be_quoted(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a statement holds as it is quoted, perhaps after what introduces its list.

    What stands under `Common misconceptions` or in quotation marks does not.
    """
    one = quotable[place]
    if one.kind in _WITHOUT_ID or one.is_question or one.leads_away:
        return False
    if not one.statement.is_governed:
        return True
    leads = governing_leads(quotable, place)
    # What leads to it may be taken back itself, or stand under something in another chunk.
    return bool(leads) and not quotable[leads[0]].statement.is_governed
