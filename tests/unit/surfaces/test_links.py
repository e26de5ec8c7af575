"""Addresses in the reading room lead to the book that is meant."""

import pytest

from sourcebook.surfaces.links import Links


@pytest.mark.parametrize(
    ("book", "place", "address"),
    [
        (None, (None, None), "https://docs.example/#/read/a%2Fb"),
        (None, (3, 9), "https://docs.example/#/read/a%2Fb?from=3&to=9"),
        ("our birds", (3, 9), "https://docs.example/?book=our%20birds#/read/a%2Fb?from=3&to=9"),
    ],
)
def test_a_lesson_is_opened_in_the_room_of_its_book(
    book: str | None, place: tuple[int | None, int | None], address: str
) -> None:
    assert Links("https://docs.example").lesson("a/b", book, *place) == address
