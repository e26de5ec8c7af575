"""Citation markers are taken out of a text and put back where they belong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.citation_markers import marked, without_markers
from tests.fuzz.profile import trying

MARKER = re.compile(r"[\[【]\s*\d+(?:\s*[,;]\s*\d+)*\s*[\]】]")
MARKED = st.lists(
    st.sampled_from(
        [
            "Robots",
            " ",
            "move",
            ".",
            "\n",
            "[1]",
            "[2, 3]",
            "【4】",
            "[",
            "]",
            "1",
            ",",
            "[ 5 ]",
            "👩‍🚀",
        ]
    ),
    max_size=14,
).map("".join)


@pytest.mark.parametrize(
    ("written", "bare", "ids"),
    [
        ("Robots move [1].", "Robots move.", ("1",)),
        ("Robots move. [1]", "Robots move.", ("1",)),
        ("Robots move.[1]", "Robots move.", ("1",)),
        ("Robots move [1] .", "Robots move.", ("1",)),
        ("Robots move [1, 2].", "Robots move.", ("1", "2")),
        ("Robots move [1; 2].", "Robots move.", ("1", "2")),
        ("Robots move [2][1][2].", "Robots move.", ("2", "1")),
        ("Robots move [2] [1].", "Robots move.", ("2", "1")),
        ("Robots move 【3】.", "Robots move.", ("3",)),
        ("Robots [1] move [2]!", "Robots move!", ("1", "2")),
        ("[1] Robots move.", "Robots move.", ("1",)),
        ("- [ 1 ] Robots move.", "- Robots move.", ("1",)),
        ("Robots move [1.2].", "Robots move.", ("1.2",)),
        ("Robots move. [1.2][3.4]", "Robots move.", ("1.2", "3.4")),
        ("Robots move [1.2, 3.14].", "Robots move.", ("1.2", "3.14")),
        ("Robots move 【10.2】 [2].", "Robots move.", ("10.2", "2")),
        ("[1.2] Robots move.", "Robots move.", ("1.2",)),
        ("Robots move [v1.2] [1.2.3].", "Robots move [v1.2] [1.2.3].", ()),
        ("Robots move [99].", "Robots move.", ("99",)),
        ("Robots move [0].", "Robots move.", ("0",)),
        ("Robots move [[1]2].", "Robots move.", ("1", "2")),
        ("[1]", "", ("1",)),
        ("Robots move.", "Robots move.", ()),
        ("Robots move .", "Robots move .", ()),
        ("See [the docs](a.md) and [x] and [^1].", "See [the docs](a.md) and [x] and [^1].", ()),
    ],
)
def test_a_sentence_gives_up_its_markers(written: str, bare: str, ids: tuple[str, ...]) -> None:
    assert without_markers(written) == (bare, ids)


@pytest.mark.parametrize("space", ["", " ", "\n", "\n\n", " \r\n"])
@pytest.mark.parametrize("written", ["Robots move. [1]", "Robots move [1].", "Robots move."])
def test_the_white_space_behind_a_sentence_stays(written: str, space: str) -> None:
    assert without_markers(written + space)[0] == "Robots move." + space


@pytest.mark.parametrize(
    "code",
    ["`axes[0]`", "``axes[0]``", "```py\naxes[0] = 1\n```", "~~~\naxes[0]\n~~~", "```\naxes[0]"],
)
def test_an_index_in_code_is_no_marker(code: str) -> None:
    assert without_markers(code) == (code, ())


def test_a_marker_behind_code_is_one() -> None:
    assert without_markers("Use `axes[0]` [2].") == ("Use `axes[0]`.", ("2",))
    assert without_markers("```\naxes[0]\n```\n[2]") == ("```\naxes[0]\n```", ("2",))


def test_a_number_too_large_for_any_passage_is_taken_out_and_forgotten() -> None:
    assert without_markers(f"Robots move [{'9' * 5_000}, 1].") == ("Robots move.", ("1",))


@trying(short=400, long=20_000)
@given(MARKED)
def test_no_marker_is_left(text: str) -> None:
    bare, _ = without_markers(text)

    assert not MARKER.search(bare)
    assert without_markers(bare) == (bare, ())


@trying(short=200, long=10_000)
@given(MARKED, st.lists(st.integers(0, 999_999), min_size=1, max_size=4, unique=True).map(tuple))
def test_markers_that_were_put_in_come_out(text: str, numbers: tuple[int, ...]) -> None:
    bare, _ = without_markers(text)
    claim = f"A{bare.strip()}b."

    assert without_markers(marked(claim, numbers)) == (claim, tuple(map(str, numbers)))


@pytest.mark.parametrize("unit", [" ", "[", "[1", "[1,", "`", "\n", ".", " .", "[1]", "]", "``` "])
def test_a_monster_of_a_sentence_is_read_to_its_end(unit: str) -> None:
    without_markers(unit * 50_000 + "x")


def test_markers_stand_behind_a_sentence_and_before_the_white_space() -> None:
    assert marked("Robots move.\n\n", (1, 3)) == "Robots move. [1][3]\n\n"


def test_a_block_of_code_stays_closed_under_its_marker() -> None:
    assert marked("```sh\nls\n```\n\n", (2,)) == "```sh\nls\n```\n\n[2]\n\n"
