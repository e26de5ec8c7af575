from collections import Counter

import pytest

from sourcebook.answering.proof.equivalents import EQUIVALENTS
from sourcebook.answering.proof.tokens import read_tokens


def keys(text: str) -> list[str]:
    return [token.key for token in read_tokens(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the pumps opened", "a pump opens"),
        ("it doesn't run", "it does not run"),
        ("it is running", "it runs"),
        ("it has been built", "it was built"),
        ("the colours", "the colors"),
        ("cancelled", "canceled"),
        ("organisation", "organization"),
        ("the battery's seal", "the battery seal"),
        ("you cannot leave", "you are not able to leave"),
        ("children", "child"),
        ("it hoped", "it hopes"),
        ("the box was stopped", "the boxes stop"),
        ("carries", "carried"),
        ("the e-mail", "the email"),
        ("**bold** [link](https://example.org/x)", "bold link"),
    ],
)
def test_tense_number_spelling_and_markup_change_nothing(one: str, other: str) -> None:
    words = [key for key in keys(one) if key != "be"]
    assert words == [key for key in keys(other) if key != "be"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("safe", "unsafe"),
        ("attach", "detach"),
        ("position", "positive"),
        ("operator", "operation"),
        ("author", "authority"),
        ("employer", "employee"),
        ("import", "important"),
        ("large", "larger"),
        ("larger", "largest"),
        ("hop", "hope"),
        ("car", "care"),
        ("found", "founded"),
        ("it", "IT"),
        ("us", "US"),
        ("`-v`", "`-V`"),
        ("max_retries", "min_retries"),
        ("before", "after"),
        ("every", "any"),
        ("few", "a few"),
        ("must", "may"),
        ("can", "cannot"),
        ("before", "for"),
        ("new", "news"),
        ("princess", "prince"),
    ],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert keys(one) != keys(other)


def test_no_word_belongs_to_two_groups_of_equivalents() -> None:
    found = Counter(phrase for group in EQUIVALENTS for phrase in group)
    assert [phrase for phrase, count in found.items() if count > 1] == []


def test_each_group_of_equivalents_is_read_as_one() -> None:
    readings = {
        group: {tuple(keys(f"thing {phrase} thing")) for phrase in group} for group in EQUIVALENTS
    }
    assert {group: found for group, found in readings.items() if len(found) > 1} == {}
