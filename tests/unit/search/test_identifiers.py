"""Files, flags and names with signs in them that a question has with a slip."""

import pytest

from sourcebook.search.identifiers import (
    IDENTIFIER,
    MAX_IDENTIFIERS,
    Slip,
    differing_part,
    doubtful_identifiers,
    find_slip,
)

ASKED = "What is it?"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many Cargo.lok files are there?", ["Cargo.lok"]),
        ("HTTP_PORXY is ignored.", ["HTTP_PORXY"]),
        ("What does --no-minfy do, and --dry-rnu=client?", ["--no-minfy", "--dry-rnu"]),
        ("`std::enb` or create_publsher()", ["std::enb", "create_publsher"]),
        ("See https://example.com/a-page?page_siez=1 and C:\\Users\\cargo.lok", []),
        ("wait...then, and it's the user's", []),
        ("my_crate::modul::Type's, and --cargo..lok's", []),
        ("e\u0323\u0300cargo.lok", []),
    ],
)
def test_an_identifier_is_what_is_joined_by_its_signs(question: str, found: list[str]) -> None:
    assert [one[0] for one in IDENTIFIER.finditer(question)] == found


def test_a_short_flag_may_have_a_slip_and_another_short_name_not() -> None:
    question = "What do --folow, v1.folow and ab_cd do?"

    assert doubtful_identifiers(question, []) == ["--folow", "v1.folow"]


@pytest.mark.parametrize(
    ("typed", "other", "part"),
    [
        ("Cargo.lok", "cargo.lock", "lok"),
        ("Cargo.locck", "cargo.lock", "locck"),
        ("HTTP_PORXY", "HTTP_PROXY", "porxy"),
        ("--no-minfy", "--no-minify", "minfy"),
        ("std::colections", "std::collections", "colections"),
        ("high-avaulability-3", "high-availability-3", "avaulability"),
    ],
)
def test_a_slip_is_one_letter_inside_of_one_part(typed: str, other: str, part: str) -> None:
    assert differing_part(typed, other) == part


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        # Another word, of which the first or the last letter tells it apart.
        ("localStorage.getItem", "localStorage.setItem"),
        ("net.core.wmem_max", "net.core.rmem_max"),
        ("torch.int8", "torch.uint8"),
        ("HTTP_PROXY", "HTTPS_PROXY"),
        ("Object.equals", "Objects.equals"),
        ("json_agg", "jsonb_agg"),
        ("non-blocking", "non-locking"),
        ("multi-clusters", "multi-cluster"),
        ("worker-node-b", "worker-node-a"),
        # Another name or ending of a file.
        ("next.config.js", "nuxt.config.js"),
        ("vite.config.ts", "vite.config.js"),
        ("mkdocs.yaml", "mkdocs.yml"),
        ("photo_of_it.jpg", "photo_of_it.jpeg"),
        ("form_data", "from_data"),
        # Another sign, digit or number of parts.
        ("read-only", "read_only"),
        ("v1beta1.apps", "v1beta2.apps"),
        ("--no-minify", "no-minify"),
        ("release-one.two", "release-one"),
        # The same, or far from it.
        ("cargo.lock", "Cargo.lock"),
        ("Crgo.lok", "Cargo.lock"),
        ("cargo.lkoc", "cargo.lock"),
    ],
)
def test_what_may_be_another_name_is_no_slip(typed: str, other: str) -> None:
    assert differing_part(typed, other) is None
    assert differing_part(other, typed) is None


def test_only_long_identifiers_that_nothing_found_has_are_doubtful() -> None:
    texts = ["The file `cargo.toml` is read."]
    question = "Are Cargo.toml, Cargo.lok and a.b, Cargo.lok read?"
    assert doubtful_identifiers(question, texts) == ["Cargo.lok"]
    assert doubtful_identifiers("Are they read?", texts) == []
    assert doubtful_identifiers("Savez-vous si le serveur est dans la baie ?", texts) == []


def test_some_identifiers_of_a_question_are_looked_at() -> None:
    question = " and ".join(f"identifier-{'x' * number}" for number in range(1, 50))
    assert len(doubtful_identifiers(question, [])) == MAX_IDENTIFIERS


def test_the_one_that_most_texts_have_is_meant_as_most_spell_it() -> None:
    texts = ["cargo.lock and Cargo.loak", "`Cargo.lock` is new.", "Read _Cargo.lock_."]
    assert find_slip("cargo.lok", texts, ASKED) == Slip("Cargo.lock", "lok")
    assert find_slip("cargo.tml", texts, ASKED) is None


def test_of_two_that_are_as_frequent_none_is_meant() -> None:
    assert find_slip("cargo.lok", ["Cargo.lock and Cargo.loak"], ASKED) is None


def test_a_text_that_was_found_twice_counts_once() -> None:
    twice = ["Cargo.loak, `Cargo.loak`"] * 2
    assert find_slip("cargo.lok", [*twice, "Cargo.lock"], ASKED) is None


def test_what_the_question_has_besides_is_not_meant() -> None:
    question = "What is the difference between Cargo.lok and Cargo.lock?"
    assert find_slip("Cargo.lok", ["Cargo.lock is read."], question) is None


def test_an_underscore_that_is_no_emphasis_belongs_to_the_name() -> None:
    assert find_slip("get_itm", ["Call _get_itom here."], ASKED) is None
    assert find_slip("get_itm", ["Call _get_itom_ here."], ASKED) == Slip("get_itom", "itm")
