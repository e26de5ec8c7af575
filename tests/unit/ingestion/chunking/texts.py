"""Markdown that Hypothesis makes up, two tokenizers for it, and what every cut must hold."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from hypothesis import strategies as st

from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.chunking.markdown import ChunkedMarkdown

Tokens: TypeAlias = list[tuple[int, int]]
Tokenize: TypeAlias = Callable[[str], Tokens]

SMALL = ChunkLimits(target=40, maximum=46, minimum=10, overlap=6, longest_overlap=12)


def words(text: str) -> Tokens:
    """Words and single signs."""
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


def word_pieces(text: str) -> Tokens:
    """Words in pieces of three characters, and a monster of a word as a single token."""
    pieces: Tokens = []
    for start, end in words(text):
        step = 3 if end - start <= 100 else end - start
        pieces += [(at, min(at + step, end)) for at in range(start, end, step)]
    return pieces


TOKENIZERS: list[Tokenize] = [words, word_pieces]

_SENTENCE = st.lists(
    st.sampled_from(
        [
            "robot",
            "arm",
            "é",
            "e\u0301",
            "👩\u200d🚀",
            "日本。",
            "`x <!-- y`",
            "**bold**",
            "import",
            "1.",
        ]
    ),
    min_size=1,
    max_size=12,
).map(lambda parts: " ".join(parts) + ".")
_PARAGRAPH = st.lists(_SENTENCE, min_size=1, max_size=6).map("\n".join)
_CODE = st.lists(
    st.sampled_from(
        ["import os", "## no heading", "", "    x = 1", "<Tabs>", "{/* no comment */}"]
    ),
    max_size=12,
).map("\n".join)


def _fence(parts: tuple[str, str, str]) -> str:
    marks, code, prefix = parts
    return "\n".join(prefix + line for line in f"{marks}py\n{code}\n{marks}".split("\n"))


FENCE = st.tuples(st.sampled_from(["```", "~~~~"]), _CODE, st.sampled_from(["", "> "])).map(_fence)
_HEADING = st.builds(
    lambda level, title: f"{'#' * level} {title}",
    st.integers(1, 4),
    st.sampled_from(["Setup", "The `Node`", "QoS {#qos}", "", "What? *Why* & how", "🚀 Go"]),
)
_OTHER = st.sampled_from(
    [
        "Setext\n======",
        "Also setext\n---",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
        "- one\n- two\n\n  ```sh\n  ## in a list\n  ```\n- three\n  - deeper\n    text",
        "> quoted\n> ## not parting\n>\n> - item",
        ":::note Title\n\nMind the gap.\n\n:::",
        "<details>\n<summary>More</summary>\n\nhidden\n\n</details>",
        "    indented code\n    ## no heading",
        "[ref]: https://example.org 'x'",
        "w" * 300,
        "a very long line " * 20,
        "***",
    ]
)
JSX = st.sampled_from(
    [
        "import Tabs from '@theme/Tabs';\nimport {a,\n  b} from \"x\"",
        "<Tabs>",
        '<Card\n  title="a > b"\n  run={() => { return 1; }}\n/>',
        "</TabItem>",
        "{/* a\n\n## comment */}",
        "<!-- a\ncomment -->",
    ]
)
PLAIN_BLOCK = st.one_of(_PARAGRAPH, FENCE, _HEADING, _OTHER)


def documents(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Whole files of such blocks, with every kind of line end."""
    return st.builds(
        lambda parts, newline, end: ("\n\n".join(parts) + end).replace("\n", newline),
        st.lists(blocks, max_size=14),
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.sampled_from(["", "\n", "\n\n \n"]),
    )


def check(source: str, cut: ChunkedMarkdown, limits: ChunkLimits, tokenize: Tokenize) -> None:
    """What holds for every source and all limits."""
    covered = [False] * len(source)
    for span in (*cut.excluded, *(span for chunk in cut.chunks for span in chunk.spans)):
        assert 0 <= span.start < span.end <= len(source)
        covered[span.start : span.end] = [True] * (span.end - span.start)
    assert all(covered)
    for excluded in cut.excluded:
        for chunk in cut.chunks:
            assert all(s.end <= excluded.start or excluded.end <= s.start for s in chunk.spans)
    offsets = tokenize(source)
    for number, chunk in enumerate(cut.chunks):
        assert chunk.text == "".join(source[span.start : span.end] for span in chunk.spans)
        assert chunk.text.strip()
        spans = chunk.spans
        assert all(one.end <= two.start for one, two in pairwise(spans))
        assert chunk.first_line == line_of(source, spans[0].start)
        assert chunk.last_line == line_of(source, spans[-1].end - 1)
        assert chunk.span_lines == tuple(line_of(source, span.start) for span in spans)
        touched = [t for t in offsets if any(t[0] < s.end and s.start < t[1] for s in spans)]
        assert len(touched) <= limits.maximum
        assert len(chunk.text) <= 8000
        previous = cut.chunks[number - 1] if number else None
        assert chunk.overlap < len(chunk.text)
        assert (previous.text if previous else "").endswith(chunk.text[: chunk.overlap])
        longest = max(limits.overlap, limits.longest_overlap)
        assert len(tokenize(chunk.text[: chunk.overlap])) <= longest
        if previous:
            assert previous.spans[-1].end <= spans[-1].end
        assert chunk.section_title == (chunk.headings[-1] if chunk.headings else None)


def line_of(source: str, offset: int) -> int:
    """The line of a character, counted the slow way; a line end belongs to the line it ends."""
    return 1 + sum(found.end() <= offset for found in re.finditer(r"\r\n|\r|\n", source))
