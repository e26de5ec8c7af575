"""A text falls into the sentences that a reader sees, whole or arriving in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.text.sentences import SentenceStream, split_sentences

PROSE = """# Nodes talk
ROS 2 uses e.g. DDS. It takes approx. 3.5 ms (see Fig. 2). rclpy is a library! "Why?" he asked.
Call `a. B` first. Dr. J. Smith agreed.

1. Start the node
2. Wait. Then stop
- **Done.** Go home

```python
x = 1. Foo
```
| a. B | c |
そう。次。 End"""

PIECES = st.lists(
    st.one_of(
        st.sampled_from([". ", "A", "a", "\n", "\n\n", "- ", "1. ", "```", "`", "[1]", "[", "# "]),
        st.text(max_size=4),
    ),
    max_size=40,
)


def texts(text: str) -> list[str]:
    return [one.text for one in split_sentences(text)]


def streamed(pieces: list[str]) -> tuple[list[str], str]:
    stream = SentenceStream()
    released = [sentence for piece in pieces for sentence in stream.feed(piece)]
    return released, "".join(stream.rest())


def test_sentences_end_where_a_reader_ends_them() -> None:
    assert texts(PROSE) == [
        "# Nodes talk",
        "ROS 2 uses e.g. DDS.",
        "It takes approx. 3.5 ms (see Fig. 2).",
        "rclpy is a library!",
        '"Why?" he asked.',
        "Call `a. B` first.",
        "Dr. J. Smith agreed.",
        "1. Start the node",
        "2. Wait.",
        "Then stop",
        "- **Done.**",
        "Go home",
        "```python\nx = 1. Foo\n```",
        "| a. B | c |",
        "そう。",
        "次。",
        "End",
    ]


def test_a_marker_belongs_to_the_sentence_before_it() -> None:
    assert texts("Nodes talk. [1][2] Topics carry it.[3] Done.") == [
        "Nodes talk. [1][2]",
        "Topics carry it.[3]",
        "Done.",
    ]


@given(PIECES.map("".join))
def test_a_sentence_is_what_stands_at_its_place(text: str) -> None:
    for one in split_sentences(text):
        assert text[one.start : one.end] == one.text == one.text.strip() != ""


@given(PIECES.map("".join))
def test_only_white_space_is_in_no_sentence(text: str) -> None:
    assert "".join("".join(texts(text)).split()) == "".join(text.split())


@given(PIECES)
def test_a_stream_gives_out_all_that_it_was_fed(pieces: list[str]) -> None:
    released, rest = streamed(pieces)
    assert "".join(released) + rest == "".join(pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_a_stream_finds_the_sentences_of_the_whole_text(size: int) -> None:
    pieces = [PROSE[at : at + size] for at in range(0, len(PROSE), size)]
    stream = SentenceStream()
    released = [sentence for piece in pieces for sentence in stream.feed(piece)]
    assert [one.strip() for one in [*released, *stream.rest()]] == texts(PROSE)


def test_a_marker_that_arrives_late_stays_with_its_sentence() -> None:
    released, rest = streamed(["Nodes talk.", " [", "1", "] To", "pics"])
    assert released == ["Nodes talk. [1] "]
    assert rest == "Topics"


@pytest.mark.parametrize(
    "text",
    [
        "a" * 9_000 + " " + "e.g. " * 200,
        "e.g. " * 2_000,
        "A. " * 3_300,
        "." * 100_000,
        "!?" * 5_000,
        "`" + "a. " * 300_000,
    ],
)
def test_a_row_of_stops_is_read_to_its_end(text: str) -> None:
    # It would take minutes if every stop were looked at from the beginning.
    assert split_sentences(f"{text} The end.")[-1].text.endswith("The end.")
