"""Front matter that is not read as its author meant it never shows a lesson to more readers."""

import pytest

from sourcebook.ingestion.book.frontmatter import read_front_matter

SOURCES = {
    "unclosed, with a blank line": "---\ntitle: x\n\nhardware_tier: 4\n\n# Arms\n",
    "unclosed, and the first line blank": "---\n\nhardware_tier: 4\n# Arms\n",
    "unclosed, after a comment": "---\n# mine\n\nhardware_tier: 4\n\nText\n",
    "with a language": "---yaml\nhardware_tier: 4\n---\n# Arms\n",
    "with a language after a space": "--- YAML\nhardware_tier: 4\n---\n# Arms\n",
    "TOML": '+++\ntitle = "x"\nhardware_tier = 4\n+++\n# Arms\n',
    "TOML by name": "---toml\nhardware_tier = 4\n---\n# Arms\n",
    "TOML in a table": "+++\n[extra]\nhardware_tier = 4\n+++\n# Arms\n",
    "broken TOML": "+++\ntitle = x\nhardware_tier = 4\n+++\n# Arms\n",
    "unclosed TOML": "+++\ntitle = 'x'\n\nhardware_tier = 4\n# Arms\n",
    "JSON": '{\n  "title": "x",\n  "hardware_tier": 4\n}\n# Arms\n',
    "JSON in one line": '{"hardware_tier": 4}\n# Arms\n',
    "nested": "---\nmeta:\n  hardware_tier: 4\n---\n# Arms\n",
    "nested in a list": "---\nmeta:\n  - a: {hardware_tier: [1, 4]}\n---\n# Arms\n",
    "nested beside what is no date": "---\nm: {d: 2024-99-99, hardware_tier: 4}\n---\n# Arms\n",
    "after a zero-width space": "\u200b---\nhardware_tier: 4\n---\n# Arms\n",
    "after a word joiner and a mark": "\ufeff\u2060\u200b\n---\nhardware_tier: 4\n---\n# Arms\n",
    "after a comment": "<!-- licence -->\n---\nhardware_tier: 4\n---\n# Arms\n",
    "between long dashes": "—\nhardware_tier: 4\n—\n# Arms\n",
    "without markers": "title: x\nhardware_tier: 4\n\n# Arms\n",
    "in one word": "---\nhardwareTier: 4\n---\n# Arms\n",
    "with a wide colon": "---\ntitle: x\nhardware_tier：4\n---\n# Arms\n",
}
NAMELESS = (
    "---\ntitle: a: b\nhardware_tier: high\n---\n# Arms\n",
    "---\ntitle: [\nThe hardware tier is four\n---\n# Arms\n",
    "---\ntitle: a: b\n---\n# Arms\n",
    "---\ntitle: x\n\nhardware_tier: high\n# Arms\n",
)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_a_tier_that_is_not_where_it_belongs_still_counts(source: str) -> None:
    assert read_front_matter(source).hardware_tier == 4


QUIET = {"with a language", "with a language after a space", "TOML", "TOML by name", "in one word"}
QUIET |= {name for name in SOURCES if name.startswith("after a zero-width")}
QUIET |= {"after a word joiner and a mark"}


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - QUIET))
def test_what_could_not_be_read_is_told(name: str) -> None:
    warnings = " ".join(read_front_matter(SOURCES[name]).warnings)

    assert "hardware_tier" in warnings


@pytest.mark.parametrize(
    "source",
    [
        "# Arms\n\nA robot arm.\n",
        "---\ntitle: a: b\n---\n# Arms\n",
        "---\ntitle: x\n\n# Arms\n\nText without an end.\n",
        "---\n\nA rule, then text about tiers: gold, silver.\n",
        "+++\ntitle = 'x'\n+++\n# Arms\n",
        "---\ntitle: The frontier\nprice: {tier: 4}\n---\n# Arms\n",
        "# Fields\n\nWrite it like this:\n\n```yaml\nhardware_tier: 4\n```\n",
        "# Fields\n\nThe field `hardware_tier` goes from 1 to 4.\n",
    ],
)
def test_a_lesson_that_names_no_tier_of_its_own_is_for_everybody(source: str) -> None:
    assert read_front_matter(source).hardware_tier == 1


@pytest.mark.spec("002 Edge: malformed front matter")
@pytest.mark.parametrize("source", NAMELESS)
def test_front_matter_without_a_tier_that_can_be_read_has_the_lowest_or_the_chosen_one(
    source: str,
) -> None:
    found = read_front_matter(source)

    assert (found.hardware_tier, found.proficiency_level) == (1, "A2")
    assert "used hardware_tier 1" in found.warnings[0]
    assert read_front_matter(source, unreadable_tier=3).hardware_tier == 3


@pytest.mark.parametrize("tier", ["high", "2"])
def test_the_chosen_tier_is_for_nothing_that_can_be_read(tier: str) -> None:
    valid, broken = (f"---\n{title}\nhardware_tier: {tier}\n---\n" for title in ("a: b", "a: b: c"))
    expected = 2 if tier == "2" else 1

    assert read_front_matter(valid, unreadable_tier=4).hardware_tier == expected
    assert read_front_matter(broken, unreadable_tier=4).hardware_tier == (2 if tier == "2" else 4)
    assert read_front_matter("# No front matter\n", unreadable_tier=4).hardware_tier == 1


def test_toml_is_read_like_yaml() -> None:
    source = '+++\ntitle = "Arms"\ndraft = true\nlayer = "L2"\nsidebar_position = 3\n+++\nBody'

    found = read_front_matter(source)

    assert (found.title, found.draft, found.layer, found.sidebar_position, found.warnings) == (
        "Arms",
        True,
        "L2",
        3,
        (),
    )
    assert source[found.body_start :] == "Body"
