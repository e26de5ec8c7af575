"""Finds the items of a list that a question has the names of: "What does the status lost mean?"."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from sourcebook.answering.statements import Quotable
from sourcebook.answering.whole_statements import LISTED, words_before
from sourcebook.search.words import content_words

# "lost: nobody knows where it is", "`--port` - what it listens on"; also with a longer dash.
_NAMED = re.compile(r"(?P<name>[^:\u2013\u2014]{1,60}?)(?::| [-\u2013\u2014]) ")
# `Leave, others`: what is not in the rows beside it, and not what a question of leave names.
_REST = re.compile(r"\b(?:others?|else|rest)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedItems:
    """The places of what is named of a list, with all that belongs to it, and of the others."""

    named: tuple[int, ...]
    others: frozenset[int]


def named_items(
    quotable: Sequence[Quotable], asked: Set[str], *, alone: bool = False
) -> Iterator[NamedItems]:
    """Of each list or table those that a question with these stems names, unless it names all.

    With `alone`, it has no other words.
    """
    for block in _blocks(quotable):
        meant = asked - words_before(quotable, block[0])
        named = tuple(_named_in(quotable, block, meant, len(asked) if alone else 1))
        if 0 < len(named) < len(block):
            yield NamedItems(named, frozenset(block).difference(named))


def _blocks(quotable: Sequence[Quotable]) -> Iterator[Sequence[int]]:
    """The places of each list or table, with the paragraphs and the code between items."""
    block: list[int] = []
    for at, one in enumerate(quotable):
        if block and one.kind == "code" and quotable[block[0]].kind == "item":
            continue
        if block and _block_of(one) == _block_of(quotable[block[0]]):
            # With the code since the item before.
            block.extend(range(block[-1] + 1, at + 1))
            continue
        if block:
            yield block
        block = [at] if one.kind in LISTED else []
    if block:
        yield block


def _block_of(one: Quotable) -> tuple[int, str]:
    return one.statement.passage, "item" if one.in_item else one.kind


def _named_in(
    quotable: Sequence[Quotable], block: Sequence[int], asked: Set[str], at_least: int
) -> Iterator[int]:
    is_named = False
    for at in block:
        one = quotable[at]
        # What comes after the first sentence of an item belongs to it.
        if one.cells or one.bullet:
            name = name_of(one)
            is_rest = _REST.search(_name(one)) is not None
            is_named = len(name) >= at_least and name <= asked and not is_rest
        if is_named:
            yield at


def name_of(one: Quotable) -> frozenset[str]:
    """The stems of what an item or a row begins with, before what is said of it."""
    return frozenset(content_words(_name(one)))


def _name(one: Quotable) -> str:
    if one.cells:
        return one.cells[0]
    found = _NAMED.match(one.shown)
    return found["name"] if found else ""
