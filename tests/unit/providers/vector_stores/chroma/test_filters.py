"""Filters on their way to Chroma, on records that another tool wrote."""

import sys

import pytest

from sourcebook.core.filters import AllOf, Compare, Filter, Not, OneOf
from sourcebook.providers.vector_stores.chroma.filters import compile_adopted
from sourcebook.providers.vector_stores.field_mapping import FieldMapping

TEXT = OneOf("module", ("intro",))


def test_a_fraction_is_not_cut_off_before_integers_are_compared() -> None:
    assert compile_adopted(Compare("tier", "lt", 1.5), FieldMapping()) == {"tier": {"$lt": 2}}
    assert compile_adopted(Compare("tier", "gte", -1.5), FieldMapping()) == {"tier": {"$gt": -2}}


@pytest.mark.parametrize(
    ("filter_", "certain"),
    [
        (TEXT, True),
        (Compare("tier", "lt", 2), True),
        (Compare("tier", "gte", 0), True),
        (Compare("tier", "lt", sys.float_info.min), True),
        (Compare("tier", "lt", 2.2250738585e-313), True),
        # Chroma takes the smallest doubles for zero.
        (OneOf("tier", (5e-324,)), False),
        (OneOf("tier", (2**53,)), False),
        (Compare("tier", "lt", float("inf")), False),
        (Not(TEXT), True),
        (Not(Compare("tier", "lt", 2)), False),
        (AllOf((TEXT, Not(TEXT))), True),
        (OneOf("$odd", ("x",)), False),
        # Where titles are was not said, and may differ from record to record.
        (OneOf("page_title", ("t",)), False),
    ],
)
def test_only_what_is_certain_to_mean_the_same_is_left_to_chroma(
    filter_: Filter, certain: bool
) -> None:
    assert (compile_adopted(filter_, FieldMapping()) is not True) == certain
