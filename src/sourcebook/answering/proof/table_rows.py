"""Tells rows of tables and their headers from other statements."""

from collections.abc import Sequence

from sourcebook.answering.statements import Statement


def is_row(text: str) -> bool:
    """Whether a statement is a row of a table."""
    return text.lstrip().startswith("|")


def header_of(statements: Sequence[Statement], place: int) -> Statement | None:
    """The first of several rows, which names their columns; None for anything else."""
    if not is_row(statements[place].text):
        return None
    first = place
    while first and _are_rows(statements[first - 1], statements[place]):
        first -= 1
    return statements[first] if first < place else None


def is_header(statements: Sequence[Statement], place: int) -> bool:
    """Whether a row names columns: it is the first of several."""
    if not is_row(statements[place].text):
        return False
    before, after = place - 1, place + 1
    if before >= 0 and _are_rows(statements[before], statements[place]):
        return False
    return after < len(statements) and _are_rows(statements[after], statements[place])


def _are_rows(one: Statement, other: Statement) -> bool:
    return is_row(one.text) and one.passage == other.passage
