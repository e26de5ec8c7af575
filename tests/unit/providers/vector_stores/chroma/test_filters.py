"""Filters on their way to Chroma, on records that another tool wrote."""

import sys

import pytest

from sourcebook.core.filters import AllOf, Compare, Filter, Not, OneOf
from sourcebook.providers.vector_stores.chroma.filters import compile_wide
from sourcebook.providers.vector_stores.field_mapping import FieldMapping

TEXT = OneOf("module", ("intro",))


@pytest.mark.parametrize(
    ("filter_", "certain"),
    [
        (TEXT, True),
        (Compare("tier", "lt", 2), True),
        (Compare("tier", "gte", 0), True),
        (Compare("tier", "lt", sys.float_info.min), True),
        # Chroma takes the smallest doubles for zero.
        (Compare("tier", "lt", 2.2250738585e-313), False),
        (OneOf("tier", (5e-324,)), False),
        (OneOf("tier", (2**53,)), False),
        (Compare("tier", "lt", float("inf")), False),
        (Not(TEXT), False),
        (Not(Not(TEXT)), True),
        (AllOf((TEXT, Not(TEXT))), True),
        (OneOf("$odd", ("x",)), False),
        # Where titles are was not said, and may differ from record to record.
        (OneOf("page_title", ("t",)), False),
    ],
)
def test_only_what_is_certain_to_mean_the_same_is_left_to_chroma(
    filter_: Filter, certain: bool
) -> None:
    assert (compile_wide(filter_, FieldMapping()) is not True) == certain
