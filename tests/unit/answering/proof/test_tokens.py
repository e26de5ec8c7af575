import pytest

from sourcebook.answering.proof.tokens import read_tokens


def keys(text: str) -> list[str]:
    return [token.key for token in read_tokens(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it doesn't run", "it does not run"),
        ("you cannot leave", "you can not leave"),
        ("the lamp's closed", "the lamp is closed"),
        ("**bold** [link](https://example.org/x)", "bold link"),
        ("The pump is red.", "the pump is red"),
        ("a well-known pump", "a well known pump"),
        ("18 400 people", "18,400 people"),
    ],
)
def test_how_a_sentence_is_written_changes_nothing(one: str, other: str) -> None:
    assert keys(one) == keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the pumps opened", "the pump opens"),
        ("it was closed", "it is closed"),
        ("few", "a few"),
        ("a pump", "the pump"),
        ("it", "IT"),
        ("us", "US"),
        ("`-v`", "`-V`"),
        ("max_retries", "min_retries"),
        ("the lamp's wick", "the lamp is wick"),
        ("no one", "no 1"),
    ],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert keys(one) != keys(other)
