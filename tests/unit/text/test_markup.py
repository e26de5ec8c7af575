"""What a reader sees of a Markdown text: its words, and no marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.text.markup import (
    HIDDEN,
    end_of_cut_code,
    mask_markup,
    plain_text,
    show_shortcodes,
)
from tests.fuzz.profile import LONG, trying
from tests.unit.ingestion.chunking.texts import JSX, PLAIN_BLOCK, documents

MONSTER = 1_000_000 if LONG else 100_000
SIGNS = st.text(st.sampled_from("a. \n\r\t`~#>-*+=|:_![]()1é<>/{}%\"'\\^&;"), max_size=120)


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("**bold**, _slanted_, ***both*** and ~~gone~~", "bold, slanted, both and gone"),
        ("A [link](https://example.org/a_(b) 'x') and [`code`](#c).", "A link and `code`."),
        ("See [its documentation][rustfmt] or [this][].", "See its documentation or this."),
        ("![A diagram](d.png) [![badge](b.svg)](x)", "A diagram badge"),
        ("SipHash resists it.[^siphash]", "SipHash resists it."),
        ("[^1]: any other name", "any other name"),
        ("<td colspan='2'>--port&nbsp;int</td><td><p>The port</p></td>", "--port int The port"),
        ("<span class='filename'>Filename: a.rs</span>", "Filename: a.rs"),
        ("<img alt='A. B' \n src='x.svg' /> Text", "Text"),
        ("<Highlight color={'red'}>Red</Highlight> text", "Red text"),
        ("<https://example.org> is a site", "https://example.org is a site"),
        ("Write to <mail@example.org>.", "Write to mail@example.org."),
        ("One line\\\nand another", "One line and another"),
        ("Before <!-- hidden --> after {/* hidden */}", "Before after"),
        ("Title {#anchor}", "Title"),
        ("R&amp;D &mdash; a &lt;b&gt;", "R&D — a <b>"),
        (r"2 \* 3 is \_6\_", "2 * 3 is _6_"),
        ("> Quoted\n> text", "> Quoted text"),
    ],
)
def test_marks_and_addresses_are_not_seen(markup: str, seen: str) -> None:
    assert plain_text(markup) == seen


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ('{{< note >}}\nMind {{% param "version" %}}.\n{{< /note >}}', "Mind version."),
        ('A {{< glossary_tooltip text="Pod" term_id="pod" >}} runs.', "A Pod runs."),
        ('A {{<glossary_tooltip term_id="pod">}} runs.', "A pod runs."),
        ('{{< glossary_definition term_id="pod" length="all" >}}', ""),
        ('{{< feature-state for_k8s_version="v1.27" state="stable" >}}', ""),
        ("From {{< skew currentVersion >}} on", "From currentVersion on"),
        ("{{#include ../listings/ch01/output.txt}}", ""),
    ],
)
def test_shortcodes_show_what_they_would_on_the_page(markup: str, seen: str) -> None:
    assert plain_text(markup) == seen


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name, __init__ and 2*3*4",
        "`**not bold** {{< note >}} <td>`",
        "Vec<T> holds a <name> where a < b and c > d, a<b and c>d",
        "values[0][1] and *args, **kwargs",
        "all of *.py and src/*.js",
        "see [1] and [RFC 9110]",
        "a <b@c and d> e",
        "an unclosed <!-- comment, [link, **mark and {{< code",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        r"$\mathbf{P}_c$ (camera) becomes $\mathbf{P}_w$ by $T_{w\leftarrow c}$.",
        r"So $u' = (f_m/s_x)\,X/Z = f_x\,X/Z$ in pixels.",
        r"$$ K = \begin{bmatrix} f_x & 0 \\ 0 & f_y \end{bmatrix} $$",
        "The ray $a_1*b_1*c_1$.",
    ],
)
def test_formulas_stay_as_they_are(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("From $5 to **$6** a *month*", "From $5 to $6 a month"),
        ("Set $HOME_DIR and _then_ $PATH", "Set $HOME_DIR and then $PATH"),
        ("It costs $5 (_net_) or $6", "It costs $5 (net) or $6"),
        ("Take $x$ *now*, not $y$", "Take $x$ now, not $y$"),
    ],
)
def test_a_sign_of_money_begins_no_formula(markup: str, seen: str) -> None:
    assert plain_text(markup) == seen


def test_code_blocks_stay_as_they_are() -> None:
    text = "```html\n<td>**x**</td>\n```\n**y**"

    assert mask_markup(text).seen.startswith("```html\n<td>**x**</td>\n```\n")
    assert plain_text(text).endswith(" y")


def test_a_line_of_code_that_goes_on_keeps_its_sign() -> None:
    assert plain_text("    docker run \\\n      -it debian") == "docker run \\ -it debian"


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("Lamps:\n\n- green\n  * **dark**\n- [x] red", "Lamps: green dark red"),
        ("1. one\n2. two", "1. one 2. two"),
        ("## Head\n\nText #1 - a *b*", "Head Text #1 - a b"),
        ("Head\n====\n\nText\n\n***\n\nend", "Head Text end"),
        ("| a | b |\n|---|:-:|\n| 1 | x \\| y |", "a | b 1 | x | y"),
        ("So:\n\n> - quoted\n> - twice", "So: quoted twice"),
        ("Run:\n\n```sh\n# first\n- x\n```\n\nThen rest.", "Run: # first - x Then rest."),
        ("~~~\n```\n~~~\n- a", "``` a"),
        (":::note\nMind this.\n:::", "Mind this."),
        (
            "Hull\n: The body: all of it.\n: Its form.\n\nKeel\n:   A beam.",
            "Hull The body: all of it. Its form. Keel A beam.",
        ),
        ("```\n: > out\n```\n\n    : > out\n:smile: :)", ": > out : > out :smile: :)"),
    ],
)
def test_the_marks_that_blocks_begin_with_are_not_seen(markup: str, seen: str) -> None:
    assert mask_markup(markup).plain_blocks(0, len(markup)) == seen


def test_marks_are_pairs_within_a_paragraph() -> None:
    assert plain_text("a *b\n\nc* d") == "a *b c* d"
    assert plain_text("- a *b\n- c* d") == "- a *b - c* d"


@trying(short=100, long=20_000)
@given(st.one_of(SIGNS, documents(st.one_of(PLAIN_BLOCK, JSX))))
def test_a_mask_keeps_offsets_and_lines_and_adds_nothing(text: str) -> None:
    masked = mask_markup(text)
    for one in (masked.words, masked.seen):
        assert len(one) == len(text)
        pairs = list(zip(one, text, strict=True))
        assert all(seen in {written, " ", HIDDEN} for seen, written in pairs)
        assert all(seen == written for seen, written in pairs if written in "\r\n")


@pytest.mark.parametrize(
    "unit",
    [
        "<a ",
        "[",
        "](",
        "`",
        "```\n",
        "{{<",
        "<!--",
        "{/*",
        "*",
        "**a ",
        "a** ",
        "<a x=\"<a y='",
        "\\\n",
        "<a@b",
    ],
)
def test_a_monster_of_a_text_is_read_to_its_end(unit: str) -> None:
    text = (unit * MONSTER)[:MONSTER]

    assert len(mask_markup(text).seen) == len(text)


def test_a_title_shows_what_hugo_would() -> None:
    assert show_shortcodes('{{% heading "whatsnext" %}}') == "What's next"
    assert show_shortcodes("Run on {{< skew currentVersion >}}") == "Run on currentVersion"
    assert show_shortcodes("Plain {{ braces }}") == "Plain {{ braces }}"


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("See [a][b].\n\n[b]: https://example.org/x\n", "See a."),
        ('> [c]: /path "Title"\n\nText.', "Text."),
        ("Note\n> from [two\n> lines][x] on.", "Note from two lines on."),
        ("[1]: note that this stays", "[1]: note that this stays"),
    ],
)
def test_the_definition_of_a_link_is_not_seen(written: str, seen: str) -> None:
    assert plain_text(written) == seen


CUT = "port: *1*\nhost: x\n```\n\nThe *port* is 1.\n"


@pytest.mark.parametrize(
    "text", [CUT, CUT.replace("\n", "\r\n"), CUT.replace("```", "~~~"), "a b\n```"]
)
def test_code_that_began_before_a_text_ends_with_its_fence(text: str) -> None:
    end = end_of_cut_code(text)

    assert text[:end].endswith(("```", "~~~"))
    assert mask_markup(text).seen[:end] == text[:end]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Text.",
        "```\nport: 1\n```\n\nText.",
        "```\nport: 1",
        "Text:\n\n```\nport: 1",
        "Text:\n```\nport: 1",
        "port: 1\n```yaml\n\nhost: x",
        "\n```\n\nText.",
        "A keel keeps the boat upright.\n\nTo install it:\n\n- ```bash\n  install\n  ```\n\nHigh.",
        "A keel keeps the boat upright.\n\n> ```bash\n> install\n> ```\n\nHigh.",
        "The layout is as follows.\n```\n\n+---+",
        "install\n```bash\nboat\n```",
        "````md\n```\ninner\n```\n````\n\nText.",
    ],
)
def test_a_fence_that_opens_ends_nothing(text: str) -> None:
    assert end_of_cut_code(text) == 0


def test_after_code_that_was_cut_the_text_is_read_as_markup() -> None:
    assert plain_text(CUT) == "port: *1* host: x ``` The port is 1."


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("A ring has 2<sup>n</sup> keys.", "A ring has 2^n keys."),
        ("It has 2<sup>n+1</sup> keys and 10<sup>-3</sup> s.", "It has 2^(n+1) keys and 10^-3 s."),
        ("1010<sub>2</sub> is 10, v<sub>max</sub> is 3.", "1010_2 is 10, v_max is 3."),
        ("H<sub>2</sub>O on the 1<sup>st</sup>.<sup>[4]</sup>", "H2O on the 1st.[4]"),
        ("2<sup>n is never closed.", "2n is never closed."),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(markup: str, seen: str) -> None:
    assert plain_text(markup) == seen
    assert len(mask_markup(markup).seen) == len(markup)
