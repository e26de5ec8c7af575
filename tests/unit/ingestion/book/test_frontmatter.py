"""Front matter is read whatever it holds, and a tier is never lowered by a mistake."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.documents import Span
from sourcebook.ingestion.book.frontmatter import FrontMatter, read_front_matter
from tests.fuzz.profile import trying


def read(block: str) -> FrontMatter:
    return read_front_matter(f"---\n{block}\n---\nBody\n")


def test_all_fields_are_read() -> None:
    source = (
        "---\ntitle: Writing a Publisher\ndescription: How to\nid: lesson-4-2\nslug: /pub\n"
        "sidebar_position: 2\nproficiency_level: b1\nhardware_tier: 3\nlayer: L2\ndraft: true\n"
        "---\n# Body\n"
    )
    assert read_front_matter(source) == FrontMatter(
        body_start=source.index("# Body"),
        title="Writing a Publisher",
        description="How to",
        description_span=Span(source.index("How to"), source.index("How to") + len("How to")),
        doc_id="lesson-4-2",
        slug="/pub",
        sidebar_position=2,
        proficiency_level="B1",
        hardware_tier=3,
        layer="L2",
        draft=True,
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("closing", ["---", "...", "---  "])
def test_line_ends_and_byte_order_marks_are_tolerated(newline: str, bom: str, closing: str) -> None:
    source = bom + newline.join(["---", "title: x", "hardware_tier: 4", closing, "Body"])
    found = read_front_matter(source)
    assert (found.title, found.hardware_tier, found.warnings) == ("x", 4, ())
    assert source[found.body_start :] == "Body"


@pytest.mark.parametrize("source", ["", "Body", "Text\n---\ntitle: x\n---\n", "--\nx: 1\n--\n"])
def test_without_a_block_at_the_head_everything_is_body(source: str) -> None:
    assert read_front_matter(source) == FrontMatter(body_start=0)
    assert read_front_matter("\ufeff" + source).body_start == 1


@pytest.mark.spec("002 FR-002")
@pytest.mark.parametrize(
    ("value", "tier"),
    [
        ("1", 1), ("4", 4), ("'4'", 4), ("Tier 3", 3), ("[1, 4]", 4), ("3.5", 3), ("'3.9'", 3),
        ("４", 4), ("0", 1), ("-2", 1), ("99", 4), ("1:30", 4), ("{min: 2, max: [1, 3]}", 3),
        ("[[[2]]]", 2), ("2024-01-01", 4), ("1-4", 4), ("tier_2", 2), ("9" * 5000, 4),
        ("[true, 2]", 2), ("[.nan, 3]", 3), ("2024-99-99", 4), ("0003", 3),
    ],
)  # fmt: skip
def test_the_tier_is_the_largest_integer_found(value: str, tier: int) -> None:
    assert read(f"hardware_tier: {value}").hardware_tier == tier


@pytest.mark.parametrize(
    "value", ["true", "yes", "high", ".nan", ".inf", "", "[]", "{}", "null", "''"]
)
def test_without_an_integer_the_tier_is_one_and_there_is_a_warning(value: str) -> None:
    found = read(f"hardware_tier: {value}")
    assert found.hardware_tier == 1
    assert "hardware_tier" in found.warnings[0]


def test_a_missing_tier_is_one_without_a_warning() -> None:
    assert (read("title: x").hardware_tier, read("title: x").warnings) == (1, ())


def test_of_a_repeated_field_the_last_counts_but_of_the_tier_the_largest() -> None:
    found = read("title: a\ntitle: b\nhardware_tier: 4\nhardware_tier: 1")
    assert (found.title, found.hardware_tier) == ("b", 4)
    assert len(found.warnings) == 2


@pytest.mark.spec("002 Edge: malformed front matter")
@pytest.mark.parametrize(
    "broken",
    [
        "title: 'x\nhardware_tier: 3",
        "hardware_tier: 1\n\tbad\nhardware_tier: Tier 3 # not 4",
        "hardware_tier:\n  - 1\n  - 3\ntitle: [",
        "a: &a [1]\nb: *a\nhardware_tier: '3'",
        "x: !!python/object:os.system {}\nhardware_tier: 3",
        "- not\n- a mapping\nhardware_tier: 3",
    ],
)
def test_broken_yaml_gives_defaults_but_keeps_the_tier(broken: str) -> None:
    found = read(broken)
    assert (found.title, found.proficiency_level, found.hardware_tier) == (None, "A2", 3)
    assert "not valid YAML" in found.warnings[0]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("layer: L1\ntitle: a: b", "line 3 cannot be read: 'title: a: b'"),
        ("layer: L1\ntitle: 'x", 'line 3 cannot be read: "title: \'x"'),
        ("title: [1, 2\nlayer: L1", "line 2 cannot be read: 'title: [1, 2'"),
        ("\ttitle: x", "indent with spaces, not tabs"),
        ("title: !!python/object:os.system {}", "the tag !!python/object:os.system is not"),
    ],
)
def test_broken_yaml_is_told_in_the_words_of_its_author(broken: str, said: str) -> None:
    (warning,) = read(broken).warnings

    assert said in warning
    for word in ("<unicode string>", "while ", "token", "yaml.org", "column"):
        assert word not in warning


def test_a_block_that_is_no_mapping_is_a_warning() -> None:
    assert "mapping" in read("just text").warnings[0]


def test_an_unterminated_block_is_body_and_keeps_the_tier() -> None:
    found = read_front_matter("---\nhardware_tier: 4\n\n# Body\n")
    assert (found.body_start, found.hardware_tier) == (0, 4)
    assert "no closing" in found.warnings[0]


def test_a_block_over_16_kib_is_skipped_and_keeps_the_tier() -> None:
    source = f"---\ntitle: {'x' * 17_000}\nhardware_tier: 4\n---\nBody"
    found = read_front_matter(source)
    assert (found.title, found.hardware_tier) == (None, 4)
    assert source[found.body_start :] == "Body"
    assert "16384 at most" in found.warnings[0]


@pytest.mark.parametrize(
    ("value", "level"),
    [("A1", "A1"), ("c2", "C2"), ("A2-B1", "A2"), ("B2/B1", "B1"), ("Beginner", "A2"),
     ("intermediate", "B1"), ("ADVANCED", "C1"), ("[B2, C1]", "B2")],
)  # fmt: skip
def test_levels_are_read_as_their_lower_bound(value: str, level: str) -> None:
    found = read(f"proficiency_level: {value}")
    assert (found.proficiency_level, found.warnings) == (level, ())


@pytest.mark.parametrize("value", ["D1", "7", "A22", "[]", "expert", ""])
def test_another_level_is_a2_with_a_warning(value: str) -> None:
    found = read(f"proficiency_level: {value}")
    assert found.proficiency_level == "A2"
    assert "used A2" in found.warnings[0]


@pytest.mark.parametrize("value", ["2", "'2'", "L2", "l2", "Layer 2", "layer-2", "Ｌ２"])
def test_layers_are_read(value: str) -> None:
    assert read(f"layer: {value}").layer == "L2"


@pytest.mark.parametrize("value", ["5", "0", "L9", "two", "[2]", "2.5", "true"])
def test_another_layer_is_left_out_with_a_warning(value: str) -> None:
    assert read(f"layer: {value}").layer is None
    assert "layer" in read(f"layer: {value}").warnings[0]


@pytest.mark.parametrize(
    ("value", "draft"),
    [
        ("true", True),
        ("'yes'", True),
        ("'true'", True),
        ("false", False),
        ("no", False),
        ("", False),
    ],
)
def test_drafts_are_seen(value: str, draft: bool) -> None:
    assert (read(f"draft: {value}").draft, read(f"draft: {value}").warnings) == (draft, ())


@pytest.mark.parametrize(
    ("value", "title"),
    [("1.10", "1.10"), ("2024-01-02", "2024-01-02"), ("yes", "yes"), ("'a\x00\ud800\x07b'", "ab"),
     ('"a\\0b\\n c"', "ab c"), ("[a]", None), ("{a: b}", None), ("", None), ("~", None)],
)  # fmt: skip
def test_titles_are_text_as_it_is_written(value: str, title: str | None) -> None:
    assert read(f"title: {value}").title == title


def test_long_texts_are_cut_with_a_warning() -> None:
    found = read(f"title: {'x' * 501}\ndescription: {'y' * 2001}\nslug: {'z' * 501}")
    assert [len(text or "") for text in (found.title, found.description, found.slug)] == [
        500,
        2000,
        500,
    ]
    assert len(found.warnings) == 3


@pytest.mark.parametrize(
    ("value", "position"),
    [
        ("2", 2),
        ("1.5", 1.5),
        ("'3'", 3),
        (".inf", None),
        ("x", None),
        ("true", None),
        ("[1]", None),
    ],
)
def test_the_sidebar_position_is_a_finite_number(value: str, position: float | None) -> None:
    assert read(f"sidebar_position: {value}").sidebar_position == position


HOSTILE = {
    "aliases": "a: &a [x,x]\n" + "\n".join(f"b{i}: &b{i} [*a,*a]" for i in range(800)),
    "nesting": "hardware_tier: " + "[" * 15_000,
    "closed nesting": "hardware_tier: " + "[" * 8_000 + "]" * 8_000,
    "digits": "hardware_tier: " + "9" * 16_000,
    "sexagesimal": "hardware_tier: " + "1:" + ":".join(["59"] * 5_000),
    "keys": "\n".join(f"k{i}: 1" for i in range(1_800)),
    "one key": "\n".join(["hardware_tier: 2"] * 900),
    "list": "hardware_tier: [" + ",".join("1" * 8_000) + "]",
    "merge": "hardware_tier: {<<: [{a: 1}, {b: 2}]}",
    "spaces": "hardware_tier:" + " " * 16_000,
    "quotes": "hardware_tier: '" + "''" * 8_000,
}


@pytest.mark.parametrize("block", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_blocks_are_read(block: str) -> None:
    assert 1 <= read(block).hardware_tier <= 4


@trying(short=100, long=6_000)
@given(st.one_of(st.text(), st.text(alphabet="-.:\n\r\ufeff \t'\"[]{}&*!#a1hardwe_ti\x00\ud800")))
def test_no_text_ever_fails(text: str) -> None:
    for source in (
        text,
        f"---\n{text}",
        f"---\n{text}\n---\n",
        f"---\nhardware_tier: {text}\n---\n",
    ):
        found = read_front_matter(source)
        assert 0 <= found.body_start <= len(source)
        assert 1 <= found.hardware_tier <= 4


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.dates(), st.binary()
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)
NAMES = ["title", "description", "id", "slug", "sidebar_position", "proficiency_level"]
NAMES += ["hardware_tier", "layer", "draft"]


@trying(short=40, long=2_000)
@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_no_value_ever_fails(fields: dict[str, object]) -> None:
    found = read(yaml.safe_dump(fields, allow_unicode=True))
    texts = [found.title, found.description, found.doc_id, found.slug, *found.warnings]
    for text in texts:
        assert text is None or ("\x00" not in text and text.encode())
    assert found.proficiency_level in {"A1", "A2", "B1", "B2", "C1", "C2"}
    assert found.layer in {None, "L1", "L2", "L3", "L4"}


@pytest.mark.parametrize(
    "source",
    [
        "\n---\nhardware_tier: 4\n---\n# Four\n",
        "\ufeff\r\n---\r\nhardware_tier: 4\r\n---\r\n# Four\r\n",
        "----\nhardware_tier: 4\n----\n# Four\n",
        "---\u00a0\nhardware_tier: 4\n---\n# Four\n",
        "---\nHardware_Tier: 4\n---\n# Four\n",
        "---\nhardware-tier: 4\n---\n# Four\n",
        "---\n  title: a: b\n  hardware_tier: 4\n---\n# Four\n",
    ],
)
def test_a_tier_that_an_author_can_see_is_a_tier(source: str) -> None:
    assert read_front_matter(source).hardware_tier == 4


def test_a_draft_with_a_mistake_in_it_is_still_a_draft() -> None:
    matter = read_front_matter("---\ntitle: Lesson 4: Foo\ndraft: true\n---\n# Secret\n")

    assert matter.draft
    assert "draft" in matter.warnings[0]


def test_text_between_two_rules_is_text() -> None:
    source = "---\nThis is a rule, some prose,\nand another rule.\n---\n# Title\n"

    matter = read_front_matter(source)

    assert matter.body_start == 0
    assert matter.warnings
