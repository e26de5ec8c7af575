"""What metadata may hold, and what of it a filter can see."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import (
    MAX_DEPTH,
    MAX_KEY_LENGTH,
    JsonValue,
    Metadata,
    check_metadata,
    scalars,
)
from sourcebook.core.text import check_text
from sourcebook.testing.filter_examples import metadata


@settings(deadline=None)
@given(metadata())
def test_what_json_can_say_is_accepted(fields: Metadata) -> None:
    check_metadata(fields)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400, -(10**400)])
def test_numbers_that_are_no_finite_double_are_refused(number: float) -> None:
    with pytest.raises(InvalidInput, match="'tier' must be a finite number"):
        check_metadata({"tier": number})


def test_a_bad_number_is_found_inside_lists_and_objects() -> None:
    with pytest.raises(InvalidInput, match="'outer'"):
        check_metadata({"outer": [{"inner": [1, math.nan]}]})


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "x\udfff"])
def test_text_that_databases_cannot_store_is_refused_everywhere(text: str) -> None:
    places: list[Metadata] = [{text: 1}, {"k": text}, {"k": [text]}, {"k": {text: 1}}]
    for fields in places:
        with pytest.raises(InvalidInput):
            check_metadata(fields)
    with pytest.raises(InvalidInput, match="The query holds"):
        check_text(text, "query")


@pytest.mark.parametrize("text", ["", "plain", "😀", "\u202e", "line\nbreak", "\x7f"])
def test_any_other_text_is_accepted(text: str) -> None:
    check_text(text, "query")
    check_metadata({"field": text})


def test_a_key_has_at_least_one_character_and_at_most_the_limit() -> None:
    check_metadata({"k" * MAX_KEY_LENGTH: 1})
    for key in ("", "k" * (MAX_KEY_LENGTH + 1)):
        with pytest.raises(InvalidInput, match="1 to 256 characters"):
            check_metadata({key: 1})


def nested(levels: int) -> JsonValue:
    """A value of so many levels."""
    value: JsonValue = "innermost"
    for _ in range(levels - 1):
        value = [value]
    return value


def test_values_may_be_nested_as_deep_as_the_limit_and_no_deeper() -> None:
    check_metadata({"field": nested(MAX_DEPTH)})
    with pytest.raises(InvalidInput, match="nested deeper than"):
        check_metadata({"field": nested(MAX_DEPTH + 1)})


def test_a_filter_sees_scalars_and_the_elements_of_lists() -> None:
    fields: Metadata = {"title": "x", "tier": 1, "draft": False, "tags": ["a", 2, 0.5, True]}
    assert list(scalars(fields)) == [
        ("title", "x", False),
        ("tier", 1, False),
        ("draft", False, False),
        ("tags", "a", True),
        ("tags", 2, True),
        ("tags", 0.5, True),
        ("tags", True, True),
    ]


@pytest.mark.parametrize("hidden", [None, {}, {"k": 1}, [], [None], [["x"]], [{"k": "x"}]])
def test_a_filter_does_not_see_nulls_objects_and_lists_in_lists(hidden: JsonValue) -> None:
    assert list(scalars({"field": hidden})) == []


@settings(deadline=None)
@given(st.text())
def test_text_is_refused_only_if_utf8_or_databases_refuse_it(text: str) -> None:
    storable = "\x00" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
    try:
        check_text(text, "text")
    except InvalidInput:
        assert not storable
    else:
        assert storable
