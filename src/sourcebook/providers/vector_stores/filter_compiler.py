"""Compiles filters for every engine, which may let more pass than the filter does, never less.

An engine supplies a `Dialect`: how it writes one term, and how it joins parts. True and False
stand for filters that every point passes and that none does; they never reach an engine.
"""

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias, TypeVar

from sourcebook.core.filters import AllOf, Compare, Filter, Not, OneOf, Order

F = TypeVar("F")
Term: TypeAlias = OneOf | Compare

# Beyond it, integers and doubles are not the same numbers.
EXACT_INTEGERS = 2**53


class Dialect(Protocol[F]):
    """How one engine writes the parts of a filter."""

    def term(self, term: Term, *, wanted: bool) -> F | bool:
        """Write at least a condition on a field or, if it is not `wanted`, its complement."""
        ...

    def join(self, parts: Sequence[F], *, by_and: bool) -> F:
        """Join two or more parts."""
        ...


def compile_filter(filter_: Filter, dialect: Dialect[F], *, wanted: bool = True) -> F | bool:
    """Compile a filter, with negations pushed down to its terms."""
    if isinstance(filter_, OneOf | Compare):
        return dialect.term(filter_, wanted=wanted)
    if isinstance(filter_, Not):
        return compile_filter(filter_.inner, dialect, wanted=not wanted)
    parts = []
    for part in filter_.parts:
        # A list comprehension would let mypy infer another dialect.
        compiled = compile_filter(part, dialect, wanted=wanted)
        parts.append(compiled)
    return joined(parts, dialect, by_and=isinstance(filter_, AllOf) == wanted)


def joined(parts: Sequence[F | bool], dialect: Dialect[F], *, by_and: bool) -> F | bool:
    """Join parts that may be True or False."""
    # In a conjunction False decides and True says nothing; in a disjunction the other way round.
    if any(part is not by_and for part in parts if isinstance(part, bool)):
        return not by_and
    kept = [part for part in parts if not isinstance(part, bool)]
    if not kept:
        return by_and
    return kept[0] if len(kept) == 1 else dialect.join(kept, by_and=by_and)


def whole_bound(term: Compare) -> tuple[Order, int]:
    """Return a bound without a fraction, which the same integers meet.

    Engines cut the fraction off a bound before they compare an integer.
    """
    above = term.order in {"gt", "gte"}
    edge = math.floor(term.bound) if above else math.ceil(term.bound)
    if edge == term.bound:
        return term.order, edge
    return ("gt" if above else "lt"), edge
