"""How lessons are cut, by example."""

from itertools import pairwise

import pytest

from sourcebook.core.documents import Span
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS, ChunkLimits
from sourcebook.ingestion.chunking.markdown import (
    ChunkedMarkdown,
    MarkdownChunk,
    chunk_markdown,
)
from tests.unit.ingestion.chunking.texts import SMALL, words


def cut(source: str, *, mdx: bool = False, body_start: int = 0) -> ChunkedMarkdown:
    return chunk_markdown(source, words(source), body_start=body_start, mdx=mdx, limits=SMALL)


def chunks(source: str, *, mdx: bool = False) -> tuple[MarkdownChunk, ...]:
    return cut(source, mdx=mdx).chunks


def own(chunk: MarkdownChunk) -> str:
    """The text without the overlap."""
    return chunk.text[chunk.overlap :].strip()


def prose(name: str, sentences: int) -> str:
    """Sentences of five tokens."""
    return " ".join(f"{name} has part {i}." for i in range(sentences))


@pytest.mark.spec("002 FR-004")
def test_sections_that_fit_are_chunks() -> None:
    source = f"# Book\n\n## One\n\n{prose('a', 5)}\n\n## Two\n\n{prose('b', 5)}\n"
    first, second = chunks(source)
    assert first.text == f"# Book\n\n## One\n\n{prose('a', 5)}"
    assert own(second) == f"## Two\n\n{prose('b', 5)}"
    assert (first.headings, first.anchor) == (("Book", "One"), "one")
    assert (second.headings, second.anchor) == (("Book", "Two"), "two")
    assert cut(source).title == "Book"


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n## no\n```",
        "~~~\n## no\n~~~",
        "<!--\n## no\n-->",
        "    ## no",
        "> ```\n> ## no\n> ```",
    ],
)
def test_a_heading_in_code_or_a_comment_is_none(hidden: str) -> None:
    source = f"## Yes\n\n{prose('a', 4)}\n\n{hidden}\n\n{prose('b', 9)}"
    assert {chunk.headings for chunk in chunks(source)} == {("Yes",)}


def test_setext_headings_and_level_one_part_sections() -> None:
    source = (
        f"Top\n===\n\n{prose('a', 5)}\n\nNext\n---\n\n{prose('b', 5)}\n\n# End\n\n{prose('c', 5)}"
    )
    assert [c.headings for c in chunks(source)] == [("Top",), ("Top", "Next"), ("End",)]
    assert [c.anchor for c in chunks(source)] == [None, "next", "end"]


@pytest.mark.spec("002 FR-005")
def test_a_long_section_is_packed_block_by_block_with_overlap() -> None:
    paragraphs = [prose(name, 3) for name in "abcdefgh"]
    source = "## Long\n\n" + "\n\n".join(paragraphs)
    found = chunks(source)
    assert len(found) > 2
    assert all(c.headings == ("Long",) and c.anchor == "long" for c in found)
    for paragraph in paragraphs:
        assert any(paragraph in own(chunk) for chunk in found)
    for previous, chunk in pairwise(found):
        assert chunk.text[: chunk.overlap] == previous.text[-chunk.overlap :] != ""
        assert chunk.text[: chunk.overlap].endswith("has part 2.")


def sections(*sizes: int) -> str:
    """Sections of about so many tokens, in sentences of five."""
    return "\n\n".join(f"## S{n}\n\n{prose(f's{n}', size // 5)}" for n, size in enumerate(sizes))


def sizes(source: str, limits: ChunkLimits = MARKDOWN_LIMITS) -> list[int]:
    return [len(words(c.text)) for c in chunk_markdown(source, words(source), limits=limits).chunks]


@pytest.mark.spec("002 FR-005")
def test_sections_are_packed_into_chunks_of_400_to_512_tokens() -> None:
    found = sizes(sections(*[120] * 13))
    assert len(found) == 4
    assert all(400 <= size <= 512 for size in found)
    assert max(sizes(sections(120, 200, 90, 300, 150, 260, 80, 410, 505, 40, 700))) <= 512


@pytest.mark.spec("002 FR-005")
def test_breaks_are_chosen_for_the_whole_document() -> None:
    # Filled one after the other, the first chunk would take 400 tokens and the last have 100.
    assert min(sizes(sections(200, 200, 100, 100))) >= 250


@pytest.mark.spec("002 FR-005")
def test_the_end_of_a_long_section_is_filled_up_with_the_sections_after_it() -> None:
    first, *_, last = sizes(sections(560, 110, 110))
    assert 400 <= first <= 512
    assert 400 <= last <= 512


TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| row{i} | cell |" for i in range(30))
CODE = "\n".join(f"x{i} = call(y)" for i in range(9))
LONG_CODE = "\n".join(f"x{i} = call(y)" for i in range(50))


@pytest.mark.spec("002 FR-005")
@pytest.mark.parametrize(
    ("before", "shared"),
    [
        (prose("a", 60), "a has part 59."),
        (f"{prose('a', 60)}\n\nRun this:\n\n```py\n{CODE}\n```", f"```py\n{CODE}\n```"),
        (f"{prose('a', 20)}\n\n{TABLE}", "| row29 | cell |"),
        (f"{prose('a', 60)}\n\n" + "a, b " * 45 + "end.", "a, b " * 45 + "end."),
    ],
    ids=["text", "code", "table", "a long sentence"],
)
def test_where_a_section_is_cut_the_next_chunk_begins_with_the_end_of_the_previous_one(
    before: str, shared: str
) -> None:
    source = f"## Long\n\n{before}\n\n{prose('z', 66)}"
    found = chunk_markdown(source, words(source)).chunks
    cut = next(chunk for chunk in found if own(chunk).startswith("z has part 0."))
    assert cut.text[: cut.overlap].endswith(shared)
    assert len(words(cut.text)) <= 512


@pytest.mark.spec("002 FR-005")
def test_the_parts_of_code_that_is_too_long_for_a_chunk_overlap() -> None:
    source = "```py\n" + "\n".join(f"x{i} = call(y)" for i in range(300)) + "\n```"
    found = chunk_markdown(source, words(source)).chunks
    assert len(found) > 2
    assert all(chunk.text[: chunk.overlap].startswith("x") for chunk in found[1:])


def test_an_overlap_never_has_the_end_of_a_fence_without_its_beginning() -> None:
    source = f"## A\n\n{prose('a', 10)}\n\n```py\n{LONG_CODE}\n```\n\n{prose('z', 60)}"
    for chunk in chunk_markdown(source, words(source)).chunks:
        assert chunk.text.count("```") % 2 == 0


def test_every_heading_of_a_chunk_is_recorded_where_it_begins() -> None:
    source = f"# Book\n\n{sections(120, 120, 500)}\n\n### Deeper\n\nEnd."
    first, *_, last = chunk_markdown(source, words(source)).chunks
    assert [(h.title, h.anchor) for h in first.all_headings] == [
        ("Book", None),
        ("S0", "s0"),
        ("S1", "s1"),
    ]
    assert [first.text[h.start :].split()[1] for h in first.all_headings] == ["Book", "S0", "S1"]
    # It begins with the end of a section whose heading it does not have.
    assert (last.all_headings[0].title, last.all_headings[0].start) == ("S2", 0)
    assert last.all_headings[-1].title == "Deeper"


def test_an_introduction_is_under_no_heading() -> None:
    source = "An introduction.\n\n## Grippers\n\nThey grip."
    (chunk,) = chunk_markdown(source, words(source)).chunks
    assert [(h.start, h.title) for h in chunk.all_headings] == [(0, ""), (18, "Grippers")]


def test_deeper_headings_are_the_preferred_breaks() -> None:
    source = "## Top\n\n" + "\n\n".join(f"### {n}\n\n{prose(n, 5)}" for n in "abc")
    first, second, third = chunks(source)
    assert own(first).startswith("## Top\n\n### a")
    assert (own(second)[:5], second.headings) == ("### b", ("Top", "b"))
    assert (own(third)[:5], third.headings) == ("### c", ("Top", "c"))


@pytest.mark.spec("002 Edge: small chunk")
def test_small_sections_are_joined_and_never_dropped() -> None:
    source = (
        "\n\n".join(f"## S{i}\n\nTiny {i}." for i in range(8)) + f"\n\n## Big\n\n{prose('x', 8)}"
    )
    found = chunks(source)
    assert all(f"Tiny {i}." in "".join(own(c) for c in found) for i in range(8))
    assert len(found) <= 3
    assert found[-1].section_title == "Big"


def test_a_small_last_section_joins_the_one_before() -> None:
    source = f"## Big\n\n{prose('a', 5)}\n\n## End\n\nBye."
    (only,) = chunks(source)
    assert only.section_title == "Big"
    assert only.text == source


def test_a_fence_is_not_torn_where_it_fits_and_at_lines_where_it_does_not() -> None:
    fits = "```py\n" + "\n".join(f"x{i} = 1" for i in range(12)) + "\n```"
    source = f"## Code\n\n{prose('a', 5)}\n\n{fits}\n\n{prose('b', 5)}"
    assert sum(fits in chunk.text for chunk in chunks(source)) == 1
    large = "```py\n" + "\n".join(f"x{i} = 1" for i in range(60)) + "\n```"
    pieces = chunks(large)
    assert len(pieces) > 3
    assert "\n".join(own(piece) for piece in pieces) == large


def test_a_table_is_not_torn_where_it_fits() -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {i} | {i} |" for i in range(4))
    source = f"## T\n\n{prose('a', 7)}\n\n{table}\n\n{prose('b', 7)}"
    assert sum(table in chunk.text for chunk in chunks(source)) == 1


def test_a_monster_of_a_word_is_cut_at_characters() -> None:
    source = "A" * 100_000
    found = chunk_markdown(source, [(0, len(source))]).chunks
    assert max(len(chunk.text) for chunk in found) <= 8000
    assert "".join(chunk.text for chunk in found) == source


def test_letters_keep_their_accents_when_a_word_is_cut() -> None:
    source = "e\u0301\u0302" * 5000
    for chunk in chunk_markdown(source, [(0, len(source))]).chunks:
        assert chunk.text[0] == "e"


def test_an_overlap_begins_at_a_sentence_and_not_at_a_line() -> None:
    sentence = "The arm of the robot\nturns e.g. left\nand then right again."
    source = "## Arms\n\n" + "\n".join([sentence] * 12)

    for chunk in chunks(source)[1:]:
        assert chunk.text.startswith("The arm of the robot")


def test_a_paragraph_that_is_too_long_is_cut_between_sentences() -> None:
    sentence = "The arm of the robot\nturns e.g. left\nand then right again."

    for chunk in chunks("\n".join([sentence] * 12)):
        assert own(chunk).startswith("The arm")
        assert own(chunk).endswith("again.")


def test_lines_that_are_no_sentences_overlap_too() -> None:
    source = "\n".join(f"Node {number} started" for number in range(60))

    assert all(chunk.text.startswith("Node ") and chunk.overlap for chunk in chunks(source)[1:])


def test_the_title_of_a_section_shows_what_hugo_shows() -> None:
    (only,) = chunks(f'## {{{{% heading "whatsnext" %}}}}\n\n{prose("a", 5)}')

    assert (only.section_title, only.anchor) == ("What's next", "whats-next")


def test_an_overlap_is_never_a_heading_alone() -> None:
    source = f"## A\n\n{prose('a', 8)}\n\n### Lonely\n\n## B\n\n{prose('b', 8)}"
    for chunk in chunks(source):
        assert chunk.text[: chunk.overlap].strip() not in {"### Lonely", "## A"}


MDX = """\
import Tabs from '@theme/Tabs';
import {
  a,
  b,
} from 'x';

export const Box = () => (
  <div>

  </div>
);

# Title

{/* hidden

## not a heading */}

<Tabs groupId="os">
<TabItem
  value="a > b"
  label={{ text: `x` }}
>

Inside the tab.

</TabItem>
</Tabs>

```jsx
import Shown from 'shown';
<Shown />
{/* shown */}
```

Text <Inline/> stays, `{/* code */}` too. <!-- not this -->
"""


def test_mdx_leaves_out_modules_tags_and_comments_and_nothing_else() -> None:
    text = "".join(own(chunk) for chunk in chunks(MDX, mdx=True))
    for gone in ("@theme", "from 'x'", "Box", "<Tabs", "TabItem", "hidden", "not this", "value="):
        assert gone not in text
    for kept in ("Inside the tab.", "import Shown", "<Shown />", "{/* shown */}", "<Inline/>"):
        assert kept in text
    assert "`{/* code */}` too." in text


@pytest.mark.parametrize(
    "kept",
    [
        "import numpy as np",
        "from x import y",
        "import the data, then plot it.",
        "export PATH=/opt/ros/bin",
        "export default values from the node",
        "#include <vector>",
        "<div>plain html</div>",
        "<https://example.org>",
        "a <!-- never closed",
        "<T and U> are types",
    ],
)
def test_prose_of_a_md_file_never_vanishes(kept: str) -> None:
    assert kept in chunks(f"Before.\n\n{kept}\n\nAfter.")[0].text


@pytest.mark.parametrize(
    "gone",
    ["import X from './x'", "import './x.css';", "<Tabs>", "</Tabs>", "<!-- x -->", "<A b={1} />"],
)
def test_what_docusaurus_does_not_show_is_left_out_of_a_md_file(gone: str) -> None:
    assert [c.text.split() for c in chunks(f"Before.\n\n{gone}\n\nAfter.")] == [
        ["Before.", "After."]
    ]


def test_admonitions_keep_their_text() -> None:
    assert (
        ":::tip Mind this\n\nThe gap.\n\n:::"
        in chunks(":::tip Mind this\n\nThe gap.\n\n:::\n")[0].text
    )


@pytest.mark.parametrize(
    "source", ["", " \n\t\r\n", "\ufeff", "<!-- x -->", "import 'x'", "\u200b\n"]
)
def test_a_source_without_text_gives_no_chunks(source: str) -> None:
    assert chunks(source) == ()


def test_front_matter_and_byte_order_mark_are_excluded() -> None:
    source = "\ufeff---\ntitle: x\n---\nBody."
    found = cut(source, body_start=source.index("Body"))
    assert [chunk.text for chunk in found.chunks] == ["Body."]
    assert (found.chunks[0].first_line, found.chunks[0].last_line) == (4, 4)
    assert cut("\ufeffBody.").chunks[0].text == "Body."


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("## The *Publisher* `Node`", "The Publisher Node", "the-publisher-node"),
        ("## QoS & [links](x) {#my-qos}", "QoS & links", "my-qos"),
        ("## Setup {/* #install */}", "Setup", "install"),
        ("## Setup <!-- #install -->", "Setup", "install"),
        ("## 🚀 Los geht's: Überblick", "🚀 Los geht's: Überblick", "-los-gehts-überblick"),
        ("## snake_case v2.0", "snake_case v2.0", "snake_case-v20"),
    ],
)
def test_anchors_are_those_of_docusaurus(heading: str, title: str, anchor: str) -> None:
    (only,) = chunks(f"{heading}\n\n{prose('a', 5)}")
    assert (only.section_title, only.anchor) == (title, anchor)


def test_repeated_anchors_are_numbered_over_all_headings() -> None:
    source = "\n\n".join(
        [f"# Setup\n\n{prose('a', 5)}", "> ## Setup", *[f"## Setup\n\n{prose('b', 5)}"] * 2]
    )
    assert [chunk.anchor for chunk in chunks(source)][-2:] == ["setup-2", "setup-3"]


def test_nesting_without_end_is_cut_as_plain_lines() -> None:
    source = ">" * 5000 + " deep\n" + "- " * 5000 + "deeper"
    found = cut(source).chunks
    assert "deeper" in found[-1].text


def test_overlap_is_left_out_where_the_chunk_is_full() -> None:
    limits = ChunkLimits(target=40, maximum=40, minimum=10, overlap=6)
    source = f"## A\n\n{prose('a', 7)}\n\n## B\n\n{prose('b', 7)}"
    found = chunk_markdown(source, words(source), limits=limits).chunks
    assert [chunk.overlap for chunk in found] == [0, 0]


@pytest.mark.parametrize("mdx", [False, True])
def test_a_bracket_in_a_string_of_an_export_hides_no_text(*, mdx: bool) -> None:
    source = "export const face = ':('\n\nIntro that matters.\n\n1) step one\n\n2) step two\n"

    text = "".join(chunk.text for chunk in chunks(source, mdx=mdx))

    assert "Intro that matters." in text
    assert "step one" in text
    assert "face" not in text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("body", ["Some prose.", "# Gears", "", "\n- One"])
def test_a_description_in_the_front_matter_is_a_paragraph_before_the_body(
    end: str, body: str
) -> None:
    head = "---\ntitle: Gears\ndescription: 'How gears turn' # short\nweight: 2\n---\n"
    source = (head + body).replace("\n", end)
    start = source.index("How")
    place = Span(start, start + len("How gears turn"))

    (chunk,) = chunk_markdown(
        source,
        words(source),
        body_start=len(source) - len(body.replace("\n", end)),
        description=place,
    ).chunks

    paragraphs = [part.strip() for part in chunk.text.split(end + end)]
    assert paragraphs == ["How gears turn", *([body.strip()] if body else [])]
    assert "".join(source[span.start : span.end] for span in chunk.spans) == chunk.text
    assert chunk.first_line == 3
