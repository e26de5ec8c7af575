"""Hyphens at the ends of lines: part of a word, or made by the typesetter."""

import pytest

from sourcebook.providers.converters.hyphens import read_spelling

HYPHENED = ["The kube-proxy runs on each node. The kube-", "proxy watches services."]
DIVIDED = ["All engineers know that engi-", "neers sleep. Infor-", "mation is information."]


def test_a_word_keeps_the_hyphen_that_it_has_elsewhere() -> None:
    assert read_spelling(HYPHENED).keeps_hyphen("The kube", "proxy watches")


def test_a_word_that_is_one_elsewhere_is_joined() -> None:
    assert not read_spelling(DIVIDED).keeps_hyphen("that engi", "neers sleep.")


@pytest.mark.parametrize(
    ("lines", "keeps"), [(HYPHENED, True), (DIVIDED, False)], ids=["hyphened", "divided"]
)
def test_an_unknown_word_is_written_as_the_document_writes_others(
    lines: list[str], keeps: bool
) -> None:
    assert read_spelling(lines).keeps_hyphen("a self", "contained unit") is keeps


def test_a_document_that_divides_words_keeps_hyphens_between_its_own_words() -> None:
    spelling = read_spelling([*DIVIDED, "The version is controlled by nobody."])

    assert spelling.keeps_hyphen("with version", "controlled files")


@pytest.mark.parametrize(
    ("before", "after"), [("set example.org/is", "default to true"), ("run kube", "foo-bar-1.")]
)
def test_a_name_is_never_divided_by_rules_of_spelling(before: str, after: str) -> None:
    assert read_spelling(DIVIDED).keeps_hyphen(before, after)
