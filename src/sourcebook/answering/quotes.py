"""Writes quoted statements as prose: rows as sentences, steps alone without their numbers."""

from collections.abc import Iterable, Sequence

from sourcebook.answering.citation_markers import marked
from sourcebook.answering.statements import (
    Quotable,
    governing_leads,
    in_one_line,
    with_antecedent,
)
from sourcebook.text.governing import leads_on

# So many items after a leader are quoted with it.
MAX_ITEMS = 8


def whole_quote(quotable: Sequence[Quotable], places: Iterable[int]) -> tuple[int, ...]:
    """The places of statements, and of those that they cannot be understood without."""
    whole: set[int] = set()
    for place in places:
        whole.update(with_antecedent(quotable, place))
        if quotable[place].kind == "code" and _is_introduced(quotable, place):
            whole.add(place - 1)
        if leads_on(quotable[place].statement.text):
            whole.update(_items_after(quotable, place))
    return tuple(sorted(whole))


def said_by(quotable: Sequence[Quotable], places: Iterable[int]) -> str:
    """What statements say: after what denies or limits them, and with the list of a leader."""
    said: set[int] = set()
    for place in places:
        said.update((*governing_leads(quotable, place), place))
        if leads_on(quotable[place].statement.text):
            said.update(_items_after(quotable, place))
    return " ".join(quoted_text(quotable[place]) for place in sorted(said))


def written(quotes: Sequence[tuple[Quotable, tuple[int, ...]]]) -> str:
    """Statements, each with the numbers of its citation: these once, after all that they cover."""
    listed = sum(one.kind == "item" and bool(one.bullet) for one, _ in quotes) > 1
    text, before = "", None
    for place, (one, numbers) in enumerate(quotes):
        said = quoted_text(one, listed=listed)
        if place + 1 == len(quotes) or quotes[place + 1][1] != numbers:
            said = marked(said, numbers)
        text += _gap(before, one, listed=listed) + said
        before = one
    return text


def _gap(before: Quotable | None, one: Quotable, *, listed: bool) -> str:
    if before is None:
        return ""
    if "code" in {one.kind, before.kind}:
        return "\n\n"
    if listed and one.bullet:
        return "\n"
    return "\n\n" if listed and before.kind == "item" != one.kind else " "


def quoted_text(one: Quotable, *, listed: bool = False) -> str:
    """A statement as it is quoted; `listed` with its bullet, among other items."""
    if one.kind == "code":
        return one.statement.text
    if one.kind == "row" and one.header and len(one.header.cells) == len(one.cells) > 1:
        return _row_sentence(one.header.cells, one.cells)
    return (one.bullet if listed else "") + in_one_line(one.shown)


def _row_sentence(names: Sequence[str], cells: Sequence[str]) -> str:
    """The first cell is what a row is about: `Wool: Heat 30 °C, Time 60 minutes.`"""
    said = [f"{name} {cell}".strip() for name, cell in zip(names, cells, strict=True) if cell]
    if not cells[0]:
        return f"{', '.join(said)}."
    return f"{cells[0]}: {', '.join(said[1:])}." if said[1:] else cells[0]


def _is_introduced(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a block of code comes after its sentence."""
    before = quotable[max(place - 1, 0)]
    same = before.statement.passage == quotable[place].statement.passage
    return same and before.kind in {"prose", "item"}


def _items_after(quotable: Sequence[Quotable], place: int) -> Iterable[int]:
    """The places of the list, the rows or the code that a leader introduces."""
    lead, kinds = quotable[place], set[str]()
    for after in range(place + 1, min(place + 1 + MAX_ITEMS, len(quotable))):
        one = quotable[after]
        kinds.add("row" if one.kind == "header" else one.kind)
        is_beside = lead.kind == one.kind == "item" and one.indent <= lead.indent
        is_over = len(kinds) > 1 or not kinds <= {"item", "row", "code"} or is_beside
        if is_over or one.statement.passage != lead.statement.passage:
            return
        if one.kind != "header":
            yield after
