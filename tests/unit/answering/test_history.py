"""A question is answered with the newest part of its conversation that fits."""

from dataclasses import replace

import pytest

from sourcebook.answering.history import recent
from sourcebook.core.conversations import Exchange
from sourcebook.testing.conversation_contract import exchange


def conversation(*lengths: int) -> list[Exchange]:
    """Exchanges of so many characters each, half of them the question's."""
    return [
        replace(exchange("s", n), query="q" * (length // 2), response="r" * (length - length // 2))
        for n, length in enumerate(lengths)
    ]


@pytest.mark.parametrize(
    ("messages", "taken"), [(0, 0), (1, 0), (2, 1), (3, 1), (10, 5), (13, 6), (14, 7), (100, 7)]
)
@pytest.mark.spec("004 FR-014")
def test_so_many_messages_count_two_for_each_exchange(messages: int, taken: int) -> None:
    exchanges = conversation(*[10] * 7)

    assert recent(exchanges, messages=messages) == tuple(exchanges[7 - taken :])


@pytest.mark.parametrize(
    ("tokens", "taken"), [(0, 0), (9, 0), (10, 1), (29, 1), (30, 2), (59, 2), (60, 3)]
)
def test_so_many_tokens_count_four_characters_for_each(tokens: int, taken: int) -> None:
    exchanges = conversation(120, 80, 40)

    assert recent(exchanges, messages=10, tokens=tokens) == tuple(exchanges[3 - taken :])


def test_eight_thousand_tokens_fit_unless_told_otherwise() -> None:
    fitting, too_much = conversation(16_000, 16_000), conversation(16_000, 16_001)

    assert recent(fitting, messages=10) == tuple(fitting)
    assert recent(too_much, messages=10) == tuple(too_much[1:])


def test_there_are_no_gaps() -> None:
    exchanges = conversation(4, 4_000, 4)

    assert recent(exchanges, messages=10, tokens=100) == tuple(exchanges[2:])


def test_an_exchange_about_a_selection_counts_without_the_selection() -> None:
    (about_selection,) = conversation(40)
    about_selection = replace(about_selection, mode="selected_text", selected_text="x" * 10_000)

    assert recent([about_selection], messages=2, tokens=10) == (about_selection,)


def test_of_nothing_there_is_nothing() -> None:
    assert recent([], messages=10) == ()
