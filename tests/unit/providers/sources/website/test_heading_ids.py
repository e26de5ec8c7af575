"""The markdown of a page has the ids of its HTML, so that citations open the heading."""

import pytest

from sourcebook.providers.sources.website.heading_ids import with_heading_ids


@pytest.mark.parametrize(
    ("markdown", "html", "expected"),
    [
        # As MkDocs makes ids: one dash for `&`, `_1` for a repeated one, no accents.
        (
            "## Arms & legs",
            "<h2 id='arms-legs'>Arms &amp; legs</h2>",
            "## Arms & legs {#arms-legs}",
        ),
        (
            "## Use\n\n## Use",
            "<h2 id='use'>Use</h2><h2 id='use_1'>Use</h2>",
            "## Use\n\n## Use {#use_1}",
        ),
        ("# Überblick", "<h1 id='uberblick'>Überblick</h1>", "# Überblick {#uberblick}"),
        # As Docusaurus makes them, which is how we do: nothing to say.
        ("## Arms & legs", "<h2 id='arms--legs'>Arms &amp; legs</h2>", "## Arms & legs"),
        # Sphinx and MkDocs put a link into the heading.
        (
            "## `wave()`",
            "<h2 id='w'><code>wave()</code><a class=headerlink>¶</a></h2>",
            "## `wave()` {#w}",
        ),
    ],
)
def test_a_heading_gets_the_id_that_the_site_gives_it(
    markdown: str, html: str, expected: str
) -> None:
    assert with_heading_ids(markdown, html) == expected


@pytest.mark.parametrize(
    "markdown",
    [
        "## Arms {#own}",
        "## Legs",
        "```\n## Arms\n```",
        "Arms",
    ],
)
def test_what_the_html_does_not_say_stays_as_it_is(markdown: str) -> None:
    assert with_heading_ids(markdown, "<h2 id='a-1'>Arms</h2>") == markdown


def test_an_id_that_markdown_cannot_write_is_left_out() -> None:
    assert with_heading_ids("## Arms", "<h2 id='a} {b'>Arms</h2>") == "## Arms"


def test_headings_of_navigation_are_skipped() -> None:
    html = "<h2 id=nav>Contents</h2><h2 id=x1>Arms</h2><h3 id=x2>Hands</h3>"

    assert with_heading_ids("## Arms\n### Hands\n", html) == "## Arms {#x1}\n### Hands {#x2}\n"
