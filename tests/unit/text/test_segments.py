"""What can be quoted in a piece of markdown."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.text.markup import mask_markup
from sourcebook.text.segments import split_segments, split_selection
from tests.fuzz.profile import LONG, trying
from tests.unit.ingestion.chunking.texts import JSX, PLAIN_BLOCK, documents

# A megabyte, or as much of it as would take for ever too if reading were not linear.
MONSTER = 1_000_000 if LONG else 30_000
# Signs that begin something in markdown, and characters that take more than one byte or column.
SIGNS = st.text(st.sampled_from("a. \n\r\t`~#>-*+=|:_![]()1é👩\u200d\u2028<{}\\"), max_size=120)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, text[piece.start : piece.end]) for piece in split_segments(text)]


def check(text: str) -> None:
    pieces = split_segments(text)
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces)
    assert all(one.end <= two.start for one, two in pairwise(pieces))
    quotes = [text[piece.start : piece.end] for piece in pieces]
    assert quotes == [quote.strip() for quote in quotes]


@trying(short=300, long=20_000)
@given(st.one_of(SIGNS, st.text(max_size=80), documents(st.one_of(PLAIN_BLOCK, JSX))))
def test_pieces_stand_in_order_apart_and_inside_the_text(text: str) -> None:
    check(text)


@trying(short=200, long=10_000)
@given(documents(PLAIN_BLOCK))
def test_every_word_of_plain_markdown_is_in_some_piece(text: str) -> None:
    covered = [False] * len(text)
    for piece in split_segments(text):
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    left = [
        line
        for line in mask_markup(text).words.splitlines()
        if not line.startswith(":::") and any(char.isalpha() for char in line)
    ]
    text = mask_markup(text).words
    at = 0
    for line in left:
        at = text.index(line, at)
        assert all(covered[at + n] for n, char in enumerate(line) if char.isalpha()), line
        at += len(line)


@pytest.mark.parametrize(
    "unit",
    [
        "a", " ", "\n", "\r", "\r\n", "\t", ">", "> ", "```\n", "~~~", "`", "# ", "#", "- ", "-",
        "- - ", "* ", "1. ", "|", "| a ", ":::", "=", "a\n=\n", "[1]", "a. ", ".\n", "\\", "<a ",
        ".", "!?", "。", "👩\u200d🚀 ", "> ```\n", "a `b. ", "\n \n", "- a\n", "***", "_ ", "[ ",
        "<tr><td>a", "<tr>", "<td>\n", "<table><tr><th>a</th>",
        "<dt>a", "<dt>a<dd>", "a\n: b\n", "a\n\n: ", ": ",
    ],
)  # fmt: skip
def test_a_monster_of_a_text_is_read_to_its_end(unit: str) -> None:
    text = (unit * MONSTER)[:MONSTER]

    check(text + "\n\nThe end.")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_part_blocks(newline: str) -> None:
    text = "# Robots\n\nArms move.\nLegs walk.\n\n- one\n- two".replace("\n", newline)

    assert kinds(text) == [
        ("heading", "Robots"),
        ("prose", "Arms move."),
        ("prose", "Legs walk."),
        ("item", "one"),
        ("item", "two"),
    ]


def test_headings_have_no_marks_and_are_known_by_a_line_under_them_too() -> None:
    text = "## Nodes\nText.\n\nSetext\n===\n\nAlso\n---\n\nMore.\n\n***\n#hashtag is text."

    assert kinds(text) == [
        ("heading", "Nodes"),
        ("prose", "Text."),
        ("heading", "Setext"),
        ("heading", "Also"),
        ("prose", "More."),
        ("prose", "#hashtag is text."),
    ]


def test_rules_and_table_lines_are_no_pieces() -> None:
    text = "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\n\n- - -\n\n===\n"

    assert kinds(text) == [("header", "| a | b |"), ("row", "| 1 | 2 |")]


@pytest.mark.parametrize(
    ("code", "rest"),
    [
        ("```py\nx = 1. # No.\n\n## no\n```", "Prose."),
        ("~~~~\n~~~\n```\n~~~~~", "Prose."),
        ("> ```sh\n> ls\n> ```", "Prose."),
        (">```sh\n>ls\n>```", "Prose."),
        ("- ```sh\n  ls\n  ```", "Prose."),
        ("1. ```sh\n   ls\n   ```", "Prose."),
        ("    ```sh\n    ls\n    ```", "Prose."),
        ("> - ```sh\n>   ls\n>   ```", "Prose."),
    ],
)
def test_a_block_of_code_is_one_piece_wherever_it_stands(code: str, rest: str) -> None:
    text = f"Before.\n\n{code}\n{rest}"

    assert [kind for kind, _ in kinds(text)] == ["prose", "code", "prose"]
    assert kinds(text)[-1] == ("prose", rest)


def test_a_block_of_code_that_is_never_closed_reaches_to_the_end() -> None:
    assert kinds("Run it.\n\n```sh\nls\n\n# all") == [
        ("prose", "Run it."),
        ("code", "```sh\nls\n\n# all"),
    ]


def test_code_in_a_line_begins_no_block() -> None:
    assert kinds("```ros2``` is a command.\n\nUse it.") == [
        ("prose", "```ros2``` is a command."),
        ("prose", "Use it."),
    ]


def test_a_quotation_is_read_as_the_text_that_it_quotes() -> None:
    quotation = "A node is\n> a process. It\n> computes.\n>\n> - one\n> - two\n>\n> ## Title"
    text = f"Said:\n> {quotation}\n\nEnd."

    assert kinds(text) == [
        ("prose", "Said:"),
        ("prose", "A node is\n> a process."),
        ("prose", "It\n> computes."),
        ("item", "one"),
        ("item", "two"),
        ("heading", "Title"),
        ("prose", "End."),
    ]


def test_tags_and_shortcodes_part_blocks_and_are_in_none() -> None:
    text = "{{< note >}}\nMind it.\n{{< /note >}}\n<td>--port int</td>\n<td>The port.</td>"

    assert kinds(text) == [
        ("prose", "Mind it."),
        ("prose", "--port int"),
        ("prose", "The port."),
    ]


def test_a_tag_over_several_lines_is_no_text() -> None:
    assert kinds('<img alt="Two arms. One leg."\nsrc="a.svg" />\n\nArms move.') == [
        ("prose", "Arms move.")
    ]


def test_items_come_without_bullets_numbers_and_boxes() -> None:
    text = "Steps:\n1. Install it. Then run it.\n2) Wait.\n* [x] Done\n  and dusted.\n+ More"

    assert kinds(text) == [
        ("prose", "Steps:"),
        ("item", "Install it."),
        ("item", "Then run it."),
        ("item", "Wait."),
        ("item", "Done\n  and dusted."),
        ("item", "More"),
    ]


def test_an_admonition_gives_its_text_without_its_fences() -> None:
    text = ":::note Mind\n\nThe arm moves.\n\n:::\n\n:::tip\nSlowly.\n:::"

    assert kinds(text) == [("prose", "The arm moves."), ("prose", "Slowly.")]


@pytest.mark.parametrize(
    "mark", ['!!! warning "Mind"', "??? note", "???+ tip", "> [!IMPORTANT]", "{: .note }"]
)
def test_marks_of_other_dialects_say_nothing(mark: str) -> None:
    quote = "> " if mark.startswith(">") else "    "

    assert kinds(f"{mark}\n{quote}The arm moves.") == [("prose", "The arm moves.")]


def test_a_table_may_have_no_pipes_around_its_rows() -> None:
    text = "Option | Default\n--- | :---:\n`--jobs` | 4\n`--all` | no\n\nThat is all."

    assert kinds(text) == [
        ("header", "Option | Default"),
        ("row", "`--jobs` | 4"),
        ("row", "`--all` | no"),
        ("prose", "That is all."),
    ]


def test_a_tab_heads_what_stands_on_it() -> None:
    assert kinds('=== "macOS"\n\n    Use brew.') == [("heading", "macOS"), ("prose", "Use brew.")]


def test_emoji_do_not_shift_anything() -> None:
    assert kinds("👩‍🚀 flies. 🤖 walks.") == [("prose", "👩‍🚀 flies."), ("prose", "🤖 walks.")]


@pytest.mark.parametrize(
    "text",
    [
        "Nodes and topics\nA node is one process of a robot. It ends.",
        "Nodes and topics\r\n\r\nA node is one process of a robot.",
        "\n  Nodes and topics  \n\n\nA node is one process of a robot.",
        "2 Nodes and topics\nA node is one process of a robot.",
    ],
)
def test_the_title_line_of_a_selection_is_no_sentence(text: str) -> None:
    title, first, *_ = split_selection(text)

    assert (title.kind, text[title.start : title.end][-16:]) == ("heading", "Nodes and topics")
    assert (first.kind, text[first.start : first.end]) == (
        "prose",
        "A node is one process of a robot.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "A node is one process\nof a robot, and sends messages to other nodes.",
        "The robot moves with the help of\nGazebo, a simulator.",
        "A node is one process.\nIt ends.",
        "Nodes and topics",
        "Nodes and topics\n\n",
        "of a robot\n\nA node is one process of it.",
        "- Nodes and topics\n- A node is one process of a robot",
        "Install the driver\nRun the setup\nRestart",
        " ".join(["word"] * 13) + "\n\nA node is one process of a robot.",
        "",
    ],
)
def test_a_line_that_goes_on_or_says_something_is_no_title(text: str) -> None:
    assert split_selection(text) == split_segments(text)


@pytest.mark.parametrize("mark", [" ", "\n", "a", "a ", "a\n", "a \n", "\t\n"])
def test_a_long_selection_is_read_in_one_go(mark: str) -> None:
    assert len(split_selection(mark * MONSTER)) <= MONSTER


def test_a_number_that_begins_a_line_of_a_paragraph_is_no_item() -> None:
    text = (
        "It holds values between 0 and\n255. If you try 256,\nit overflows.\n\n2. Second\n3. Third"
    )

    said = [(text[one.start : one.end], one.kind) for one in split_segments(text)]

    assert said == [
        ("It holds values between 0 and\n255.", "prose"),
        ("If you try 256,\nit overflows.", "prose"),
        ("Second", "item"),
        ("Third", "item"),
    ]


@pytest.mark.parametrize("label", ["A: ", "**A:** ", "__Answer__: ", "A. ", "Antwort: "])
def test_the_label_of_an_answer_is_no_part_of_it(label: str) -> None:
    assert kinds(f"Q: Do arms turn?\n{label}They do. A: no.")[1:] == [
        ("prose", "They do."),
        ("prose", "A: no."),
    ]


def test_a_page_in_one_line_has_its_blocks() -> None:
    text = (
        "<h1>Kettle</h1><p>It <b>boils</b> water.</p><ul><li>Red</li><li>Black</li></ul>Use `<p>`."
    )

    assert kinds(text) == [
        ("heading", "Kettle"),
        ("prose", "It <b>boils</b> water."),
        ("prose", "Red"),
        ("prose", "Black"),
        ("prose", "Use `<p>`."),
    ]


def test_lines_with_labels_stand_for_themselves() -> None:
    text = "Problem: The printer\nis silent.\r\n**Cause**: No paper\r\nTime spent: 5 minutes"

    assert kinds(text) == [
        ("prose", "Problem: The printer\nis silent."),
        ("prose", "**Cause**: No paper"),
        ("prose", "Time spent: 5 minutes"),
    ]
    assert len(kinds("It prints as follows\nCause: no paper")) == 1
