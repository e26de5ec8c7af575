"""Ids of statements: `2.3` is the third statement of the second passage that can be quoted."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sourcebook.answering.statements import Quotable, governing_lead_of_each

# What a writer says instead of ids, if no statement answers the question.
REFUSED = "NONE"
_WITHOUT_ID = frozenset({"heading", "header"})


def statement_ids(quotable: Sequence[Quotable]) -> dict[str, int]:
    """The places of all statements that can be quoted, by their ids."""
    counts: Counter[int] = Counter()
    places: dict[str, int] = {}
    for place in places_to_quote(quotable):
        passage = quotable[place].statement.passage
        counts[passage] += 1
        places[f"{passage}.{counts[passage]}"] = place
    return places


def places_to_quote(quotable: Sequence[Quotable]) -> Iterator[int]:
    """The places of what holds as it is quoted, perhaps after what introduces its list.

    What stands under `Common misconceptions` or in quotation marks does not.
    """
    outermost: dict[int, int] = {}
    leads = governing_lead_of_each(quotable)
    for place, (one, lead) in enumerate(zip(quotable, leads, strict=True)):
        if lead is not None:
            outermost[place] = outermost.get(lead, lead)
        if one.kind in _WITHOUT_ID or one.is_question or one.leads_away:
            continue
        # What leads to it may be taken back itself, or stand under something in another chunk.
        if not quotable[outermost.get(place, place)].statement.is_governed:
            yield place
