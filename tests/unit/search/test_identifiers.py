"""Files, flags and names with signs in them that a question has with a slip."""

import pytest

from sourcebook.search.identifiers import (
    IDENTIFIER,
    doubtful_identifiers,
    is_slip,
    meant_identifier,
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many Cargo.lok files are there?", ["Cargo.lok"]),
        ("HTTP_PORXY is ignored.", ["HTTP_PORXY"]),
        ("What does --no-minfy do, and --dry-rnu=client?", ["--no-minfy", "--dry-rnu"]),
        ("`std::enb` or create_publsher()", ["std::enb", "create_publsher"]),
        ("See https://example.com/a-page", []),
        ("wait...then, and it's the user's", []),
    ],
)
def test_an_identifier_is_what_is_joined_by_its_signs(question: str, found: list[str]) -> None:
    assert [one[0] for one in IDENTIFIER.finditer(question)] == found


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("cargo.lok", "cargo.lock"),
        ("cargo.locck", "cargo.lock"),
        ("http_porxy", "http_proxy"),
        ("no_minify", "no-minify"),
        ("nominify.css", "no-minify.css"),
        ("docker-compode.yml", "docker-compose.yml"),
    ],
)
def test_a_slip_is_one_letter_or_sign(typed: str, other: str) -> None:
    assert is_slip(typed, other)
    assert is_slip(other, typed)


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("next.js", "nest.js"),
        ("v1.beta1", "v1.beta2"),
        ("release-1.2", "release-1.21"),
        ("multi-clusters", "multi-cluster"),
        ("xargo.lock", "cargo.lock"),
        ("--no-minify", "no-minify"),
        ("cargo.lock", "cargo.lock"),
        ("cargo.lkoc", "cargo.lock"),
        ("cargo.lo", "cargo.lock"),
    ],
)
def test_another_name_digit_number_or_beginning_is_no_slip(typed: str, other: str) -> None:
    assert not is_slip(typed, other)
    assert not is_slip(other, typed)


def test_only_long_identifiers_that_nothing_found_has_are_doubtful() -> None:
    texts = ["The file `cargo.toml` is read."]
    question = "Are Cargo.toml, Cargo.lok and a.b, Cargo.lok read?"
    assert doubtful_identifiers(question, texts) == ["Cargo.lok"]
    assert doubtful_identifiers("Are they read?", texts) == []


def test_the_one_that_most_texts_have_is_meant() -> None:
    texts = ["Cargo.lock, Cargo.lock and cargo.loks", "`Cargo.loka` is new.", "Read _Cargo.loka_."]
    assert meant_identifier("cargo.lok", texts) == "Cargo.loka"
    assert meant_identifier("cargo.lok", texts[:1]) == "Cargo.lock"
    assert meant_identifier("cargo.tml", texts) is None


def test_what_a_text_has_as_it_was_typed_is_no_slip() -> None:
    assert meant_identifier("Cargo.lok", ["Cargo.lock", "The old cargo.lok of version 0"]) is None
