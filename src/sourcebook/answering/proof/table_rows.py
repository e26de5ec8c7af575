"""Reads a row of a table as the sentences it stands for: `the voltage of the pump is 12 V`."""

from collections.abc import Iterator, Sequence

from sourcebook.answering.proof.clauses import is_plain
from sourcebook.answering.proof.recasting import BY_DEFAULT
from sourcebook.answering.proof.sentence import read_phrase
from sourcebook.answering.proof.tokens import Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import GENERIC_HEADERS
from sourcebook.answering.statements import Statement

_BE = Token("be", form="s", written="is")
_GENERIC = word_keys(GENERIC_HEADERS)
_DEFAULTS = frozenset({("default",), ("default", "valu")})
_BOUNDS = frozenset({("maximum",), ("minimum",)})
_FOR = Token("for")
_SETTINGS = word_keys(
    {"setting", "option", "parameter", "flag", "key", "field", "variable", "property", "argument"}
)
_TWO = 2


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


def read_row(row: str, header: str | None) -> Iterator[Tokens]:
    """What a row says, each cell with the name of its column and of its row."""
    cells = _cells(row)
    if len(cells) < _TWO or not cells[0]:
        return
    columns = _cells(header) if header is not None else []
    if header is None:
        if len(cells) == _TWO and cells[1]:
            yield (*cells[0], _BE, *cells[1])
        return
    if len(columns) != len(cells):
        return
    names = [cells[0]]
    if len(columns[0]) == 1 and is_plain(columns[0][0]):
        # `the retention setting`.
        names.append((*cells[0], columns[0][0]))
    is_setting = any(one.kind == "code" for one in cells[0]) or any(
        one.key in _SETTINGS for one in columns[0]
    )
    for column, cell in zip(columns[1:], cells[1:], strict=True):
        for name in names if cell and column else ():
            yield _cell_sentence(name, column, cell)
            if is_setting:
                yield from _of_setting(name, column, cell)


def _cell_sentence(name: Tokens, column: Tokens, cell: Tokens) -> Tokens:
    if len(column) == 1 and column[0].key in _GENERIC:
        return (*name, _BE, *cell)
    return (*name, *(one._replace(opens=False) for one in column), _BE, *cell)


def _of_setting(name: Tokens, column: Tokens, cell: Tokens) -> Iterator[Tokens]:
    keys = tuple(one.key for one in column)
    if keys in _DEFAULTS:
        yield (*name, _BE, *cell, BY_DEFAULT)
    elif keys in _BOUNDS:
        # `the maximum batch size`, `the maximum for it`.
        yield (*column, *name, _BE, *cell)
        yield (*column, _FOR, *name, _BE, *cell)


def _cells(row: str) -> list[Tokens]:
    return [read_phrase(cell.strip()) for cell in row.strip().strip("|").split("|")]
