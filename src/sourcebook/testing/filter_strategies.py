"""Hypothesis strategies for metadata and filters that often match and are often odd.

Fields and values come from small pools, so that most filters match something and most fields
hold several types across documents.
"""

import sys

from hypothesis import strategies as st

from sourcebook.core.filters import AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import JsonValue, Metadata, Scalar

_ODD_FIELDS = ("a.b", "_chunk_id", "_xab", "s_tier", "名前", 'with "quotes"', "list[0]", " ", "%")
FIELDS = ("tier", "module", "tag-list", "a", "b", "a_b", *_ODD_FIELDS)
TEXTS = (
    "",
    "intro",
    "Intro",
    "1",
    "true",
    "null",
    "\u00e9t\u00e9",
    "e\u0301te\u0301",
    "😀",
    "a'b\"c\\",
    "%",
    "_",
    " ",
)
_EDGES = (sys.float_info.max, sys.float_info.min, 5e-324, 1e308, -1e308)
_BEYOND_DOUBLES = (2**53, 2**53 + 1, 2**63, -(2**63) - 1, 10**30)
NUMBERS = (0, 1, 2, -1, 0.0, -0.0, 1.0, 0.1, 1.5, *_BEYOND_DOUBLES, *_EDGES)


def texts() -> st.SearchStrategy[str]:
    """Mostly texts from a small pool, so that they match; now and then any text at all."""
    unmet = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
    return st.one_of(st.sampled_from(TEXTS), st.sampled_from(TEXTS), unmet)


def numbers() -> st.SearchStrategy[int | float]:
    """Small, huge, tiny and zero, as integers and as floats."""
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.integers(-3, 3),
        st.floats(allow_nan=False, allow_infinity=False),
    )


def scalar_values() -> st.SearchStrategy[Scalar]:
    """Anything that a filter can compare with."""
    return st.one_of(texts(), numbers(), st.booleans())


def json_values() -> st.SearchStrategy[JsonValue]:
    """Anything that a metadata field can hold."""
    nested: st.SearchStrategy[JsonValue] = st.dictionaries(
        st.sampled_from(FIELDS), scalar_values(), max_size=2
    )
    elements = st.one_of(scalar_values(), st.none(), nested)
    lists: st.SearchStrategy[JsonValue] = st.lists(elements, max_size=3)
    return st.one_of(scalar_values(), scalar_values(), lists, st.none(), nested)


def metadata() -> st.SearchStrategy[Metadata]:
    """The metadata of one document; most fields are missing."""
    return st.dictionaries(st.sampled_from(FIELDS), json_values(), max_size=5)


def filters() -> st.SearchStrategy[Filter]:
    """Any filter, up to a few levels deep."""
    fields = st.sampled_from(FIELDS)
    one_of = st.builds(OneOf, fields, st.lists(scalar_values(), max_size=3).map(tuple))
    bounds = st.one_of(numbers(), st.sampled_from((float("inf"), float("-inf"))))
    orders = st.sampled_from(("gt", "gte", "lt", "lte"))
    compare = st.builds(Compare, fields, orders, bounds)
    leaves: st.SearchStrategy[Filter] = st.one_of(one_of, compare)
    return st.recursive(leaves, _joined, max_leaves=6)


def _joined(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    parts = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, inner), st.builds(AllOf, parts), st.builds(AnyOf, parts))
