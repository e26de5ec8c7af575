"""The block that a statement is quoted in: its paragraph, list, table or code, if not too long."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.answering.statements import Quotable, with_antecedent
from sourcebook.text.governing import leads_on

FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Block:
    """The places of what is quoted together, and of the statement that it is quoted for."""

    places: tuple[int, ...]
    best: int


def block_around(quotable: Sequence[Quotable], best: int, limit: int) -> Block:
    """The block of a statement, or a part around it of so many characters of its source.

    Before it comes what it cannot do without: what may deny or limit it, or what it goes on from.
    """
    first, last = _ends(quotable, best)
    leader = () if first == best or not leads_on(quotable[first].statement.text) else (first,)
    if _length(quotable, first, last) > limit:
        first = last = best
        # Each row tells of something else, and has the names of its columns.
        if quotable[best].kind != "row":
            first, last = _part(quotable, best, limit)
    before = with_antecedent(quotable, (*leader, first)[0])
    return Block(tuple(dict.fromkeys([*before, *leader, *range(first, last + 1)])), best)


def is_cut_code(one: Quotable) -> bool:
    """Whether it is code that goes on in another chunk: shown, it would swallow what comes next."""
    text = one.statement.text.strip()
    return one.kind == "code" and text[:3] in FENCES and (len(text) < 6 or text[-3:] != text[:3])


def _ends(quotable: Sequence[Quotable], best: int) -> tuple[int, int]:
    """The places of the first and the last statement of a block."""
    first = last = best
    while first > 0 and _is_in_block(quotable, first - 1, best):
        first -= 1
    while last + 1 < len(quotable) and _is_in_block(quotable, last + 1, best):
        last += 1
    return first, last


def _is_in_block(quotable: Sequence[Quotable], place: int, best: int) -> bool:
    one, block = quotable[place], quotable[best].block
    if (
        one.kind in {"heading", "header"}
        or one.statement.passage != quotable[best].statement.passage
    ):
        return False
    return block.start <= one.statement.start and one.statement.end <= block.end


def _part(quotable: Sequence[Quotable], best: int, limit: int) -> tuple[int, int]:
    """The first and the last of as many statements around the best one as there is room for."""
    first = last = best
    while True:
        after, before = last + 1, first - 1
        # By turns, what comes next first: it mostly tells more of the same.
        turns = [(first, after), (before, last)]
        if last - best > best - first:
            turns.reverse()
        fitting = [one for one in turns if _is_part(quotable, best, one, limit)]
        if not fitting:
            return first, last
        first, last = fitting[0]


def _is_part(quotable: Sequence[Quotable], best: int, ends: tuple[int, int], limit: int) -> bool:
    first, last = ends
    if first < 0 or last >= len(quotable):
        return False
    inside = all(_is_in_block(quotable, place, best) for place in ends)
    return inside and _length(quotable, first, last) <= limit


def _length(quotable: Sequence[Quotable], first: int, last: int) -> int:
    return quotable[last].cited.end - quotable[first].cited.start
