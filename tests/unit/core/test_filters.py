"""What filters mean."""

import math

import pytest
from hypothesis import given, settings

from sourcebook.core.errors import InvalidInput
from sourcebook.core.filters import (
    EVERYTHING,
    MAX_FILTER_DEPTH,
    MAX_FILTER_TERMS,
    AllOf,
    AnyOf,
    Compare,
    Filter,
    Not,
    OneOf,
    Order,
    all_of,
    check_filter,
    terms,
)
from sourcebook.core.metadata import JsonValue, Metadata, Scalar
from sourcebook.testing.filter_examples import filters, metadata

A = OneOf("a", (1,))
B = OneOf("b", (2,))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("x", "x"),
        ("", ""),
        (1, 1),
        (1, 1.0),
        (1.0, 1),
        (0.0, -0.0),
        (2**53 + 1, float(2**53)),
        (True, True),
        (False, False),
        (["x", "y"], "y"),
        ([1, 2], 2.0),
        ([None, {"k": 1}, True], True),
    ],
)
def test_equal_values_match(value: JsonValue, wanted: Scalar) -> None:
    assert OneOf("field", (wanted,)).matches({"field": value})


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("X", "x"),
        ("1", 1),
        (1, "1"),
        (True, 1),
        (1, True),
        (0, False),
        (False, 0),
        ("true", True),
        (None, ""),
        ([], ""),
        ([["x"]], "x"),
        ({"x": "x"}, "x"),
        ([True], 1),
        ("\u00e9", "e\u0301"),
        (1, math.nan),
    ],
)
def test_other_values_do_not_match(value: JsonValue, wanted: Scalar) -> None:
    assert not OneOf("field", (wanted,)).matches({"field": value})


def test_one_of_no_values_matches_nothing() -> None:
    assert not OneOf("field", ()).matches({"field": "x"})


def test_a_missing_field_matches_no_condition() -> None:
    assert not OneOf("field", ("x", 1, True)).matches({})
    assert not Compare("field", "lt", math.inf).matches({})


@pytest.mark.parametrize(
    ("order", "passing"), [("lt", [1]), ("lte", [1, 2]), ("gt", [3]), ("gte", [2, 3])]
)
def test_a_bound_cuts_where_its_order_says(order: Order, passing: list[int]) -> None:
    bound = Compare("tier", order, 2)
    assert [tier for tier in (1, 2, 3) if bound.matches({"tier": tier})] == passing


@pytest.mark.parametrize("value", ["1", True, None, [1], [[1]], {"n": 1}, []])
def test_only_numbers_are_compared(value: JsonValue) -> None:
    assert not Compare("tier", "lte", 9).matches({"tier": value})
    assert not Compare("tier", "gte", -9).matches({"tier": value})


def test_nothing_compares_with_what_is_not_a_number() -> None:
    assert not Compare("tier", "lte", math.nan).matches({"tier": 1})


def test_every_part_of_all_must_match() -> None:
    both = AllOf((A, B))
    assert both.matches({"a": 1, "b": 2})
    assert not both.matches({"a": 1})


def test_one_part_of_any_is_enough() -> None:
    either = AnyOf((A, B))
    assert either.matches({"b": 2})
    assert not either.matches({"a": 2})


def test_all_of_nothing_is_everything_and_any_of_nothing_is_nothing() -> None:
    assert EVERYTHING.matches({})
    assert AllOf(()).matches({"a": 1})
    assert not AnyOf(()).matches({"a": 1})


@settings(deadline=None)
@given(filters(), metadata())
def test_not_is_the_exact_complement(filter_: Filter, fields: Metadata) -> None:
    assert Not(filter_).matches(fields) != filter_.matches(fields)


@settings(deadline=None)
@given(filters(), filters(), metadata())
def test_not_any_is_all_not(one: Filter, other: Filter, fields: Metadata) -> None:
    neither = Not(AnyOf((one, other)))
    assert neither.matches(fields) == AllOf((Not(one), Not(other))).matches(fields)


def test_joining_does_not_wrap_a_single_filter() -> None:
    assert all_of([A]) == A
    assert all_of([EVERYTHING, A, EVERYTHING]) == A


def test_joining_nothing_lets_everything_pass() -> None:
    assert all_of([]) == EVERYTHING
    assert all_of([EVERYTHING, EVERYTHING]) == EVERYTHING


@settings(deadline=None)
@given(filters(), filters(), metadata())
def test_joined_filters_must_both_match(one: Filter, other: Filter, fields: Metadata) -> None:
    joined = all_of([one, other])
    assert joined.matches(fields) == (one.matches(fields) and other.matches(fields))


def test_terms_are_found_wherever_they_stand() -> None:
    bound = Compare("c", "gt", 1)
    assert list(terms(AnyOf((Not(A), AllOf((B, Not(AnyOf((bound,))))))))) == [A, B, bound]


def nested(levels: int) -> Filter:
    """A filter with so many levels of AND."""
    filter_: Filter = A
    for _ in range(levels):
        filter_ = AllOf((filter_,))
    return filter_


def test_a_filter_may_be_as_deep_as_the_limit_and_no_deeper() -> None:
    deepest = nested(MAX_FILTER_DEPTH)
    assert check_filter(deepest) is deepest
    with pytest.raises(InvalidInput, match=f"{MAX_FILTER_DEPTH + 1} levels deep"):
        check_filter(nested(MAX_FILTER_DEPTH + 1))


def test_negation_is_no_level() -> None:
    assert check_filter(Not(nested(MAX_FILTER_DEPTH)))


def test_every_value_counts_as_a_term() -> None:
    longest = OneOf("a", tuple(range(MAX_FILTER_TERMS)))
    assert check_filter(longest) is longest
    with pytest.raises(InvalidInput, match=f"{MAX_FILTER_TERMS + 1} terms"):
        check_filter(AllOf((longest, Compare("b", "gt", 0))))
