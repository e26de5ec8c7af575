"""Searching with the keyboard alone, and reading a lesson whole."""

import re

from playwright.sync_api import Page, expect

from tests.browser.fakes import FakeService, chunk
from tests.browser.test_ask import KNEE, highlighted

SELECT = """(text) => {
  const blocks = [...document.querySelectorAll(".lesson p")];
  const block = blocks.find((p) => p.textContent.includes(text));
  getSelection().selectAllChildren(block);
}"""


def test_a_reader_searches_and_opens_a_result_without_a_mouse(page: Page) -> None:
    page.goto("/")
    page.get_by_role("heading", level=1).wait_for()
    page.locator("body").press("Control+k")
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    page.keyboard.type("knee bend")
    expect(page.locator(".result").first).to_contain_text("Joint limits")
    expect(page.get_by_role("status").filter(has_text="best first")).to_be_visible()
    assert "knee" in highlighted(page, "match")

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".result").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Lesson 2.2: Frames and Joints")
    assert "knee" in highlighted(page)
    page.locator("body").press("/")
    expect(box).to_be_focused()
    expect(box).to_have_value("knee bend")
    page.keyboard.press("Escape")
    expect(box).to_have_value("")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your question")).to_be_focused()


def test_filters_narrow_a_search_and_stages_explain_it(page: Page) -> None:
    page.goto("/#/search?q=robot")
    expect(page.locator(".result")).to_have_count(10)

    page.get_by_label("module").select_option("simulation")
    expect(page.locator(".result").first).to_contain_text("module simulation")
    expect(page.locator(".result", has_text="module vla")).to_have_count(0)
    page.get_by_label("Explain the ranking").check()

    expect(page.locator(".stages")).to_contain_text("mode hybrid")
    expect(page.locator(".result").first).to_contain_text("cosine")
    page.get_by_label("tier").select_option("1")
    expect(page.locator(".results")).not_to_contain_text("Safety Stops")


def test_too_few_letters_and_no_result_are_said(page: Page) -> None:
    page.goto("/#/search")
    page.get_by_role("searchbox").fill("kn")
    expect(page.get_by_text("Type three letters or more")).to_be_visible()
    FakeService(page).reply("search", {"results": [], "mode": "hybrid"})
    page.get_by_role("searchbox").fill("knee")
    expect(page.get_by_text("Nothing in the book fits these words.")).to_be_visible()


def test_a_lesson_is_shown_whole_with_its_outline_and_neighbours(page: Page) -> None:
    page.goto("/#/read")
    contents = page.get_by_role("navigation", name="Contents")
    contents.get_by_role("link", name="Lesson 2.2: Frames and Joints").click()

    article = page.get_by_role("article")
    expect(article).to_contain_text(KNEE)
    expect(article).to_contain_text("Half of robotics is keeping track")
    expect(article.get_by_role("heading", level=2)).to_have_count(4)
    expect(article.locator("pre")).to_contain_text('<joint name="left_elbow" type="revolute">')
    assert "hardware_tier" not in (article.text_content() or "")
    outline = contents.get_by_role("list", name="On this page")
    expect(outline.get_by_role("button")).to_have_count(4)
    outline.get_by_role("button", name="Joint limits").click()
    expect(article.get_by_role("heading", name="Joint limits")).to_be_in_viewport()
    page.get_by_role("navigation", name="Next and previous lesson").get_by_role(
        "link"
    ).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Lesson 2.1: Parameters and Launch Files"
    )


def test_a_selection_can_be_asked_about_and_the_answer_shows_its_words_in_it(page: Page) -> None:
    page.goto("/#/search?q=knee%20bend")
    page.locator(".result").first.click()
    page.locator(".lesson h1").wait_for()
    page.evaluate(SELECT, "knee bends")
    page.get_by_role("button", name="Ask about this").click()
    with page.expect_request("**/chat/stream") as asked:
        page.get_by_label("Your question about the selection").fill("How far does the knee bend?")
        page.keyboard.press("Enter")

    body = asked.value.post_data_json
    assert body is not None
    assert body["mode"] == "selected_text"
    assert body["selected_text"].startswith("The limits in a URDF file")
    expect(page.locator("ask-about .answer-text")).to_contain_text(KNEE)
    page.wait_for_function("() => [...CSS.highlights.get('cited')].length > 0")
    # All that is quoted: the paragraph.
    shown = highlighted(page)
    assert shown.startswith("Effort and velocity must always be given")
    assert KNEE in shown
    assert shown.endswith("before it meets metal.")

    with page.expect_request("**/chat/stream") as wider:
        page.get_by_role("button", name="Ask the whole book").click()
    asked_of_all = {"query": "How far does the knee bend?", "progress": True}
    assert wider.value.post_data_json == asked_of_all
    expect(page.locator("ask-about .source").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("ask-about")).to_be_hidden()


def test_a_lesson_that_is_gone_is_said_to_be_gone(page: Page) -> None:
    page.goto("/#/read/00000000-0000-0000-0000-000000000000")

    expect(page.get_by_role("heading", level=1)).to_have_text(
        "This lesson is not in the book, or no longer."
    )


MARKDOWN = """---
title: Hidden
---
import Tabs from '@theme/Tabs';

# Title with `code` {#anchor}

Some *emphasis*, **strong _nested_ words**, snake_case_name and 2 * 3 * 4.
A second line with <b>tags</b> and \\*escapes\\*.

- one
  - inner
- two

1. first
2. second

> A quote

| left | right |
|------|-------|
| `a`  | b \\| c |

:::tip Look here
Inside.
:::

Setext
------

[named][Home], ![picture][home] and [home].

[relative](../other.md) and [outside](https://example.org/page "title").

```py
x = "<b>"
```

[home]: https://example.org/home
"""


def test_markdown_becomes_the_elements_that_it_means(page: Page) -> None:
    service = FakeService(page)
    lesson = {
        "parent_doc_id": "d1",
        "text": MARKDOWN,
        "lesson_title": "Title",
        "source_file": "a.md",
        "lesson_url": None,
    }
    service.reply("lesson/*", lesson)
    page.goto("/#/read/d1")
    article = page.get_by_role("article")

    expect(article.locator("h1")).to_have_text("Title with code")
    expect(article.locator("em").first).to_have_text("emphasis")
    expect(article.locator("strong")).to_have_text("strong nested words")
    expect(article.locator("p", has_text="snake_case_name")).to_contain_text("2 * 3 * 4.")
    expect(article.locator("p", has_text="second line")).to_contain_text("with tags and *escapes*.")
    expect(article.locator("ul ul li")).to_have_text("inner")
    expect(article.locator("ol li")).to_have_text(["first", "second"])
    expect(article.locator("blockquote")).to_have_text("A quote")
    expect(article.locator("td")).to_have_text(["a", "b | c"])
    expect(article.locator(".callout")).to_have_text("Look hereInside.")
    expect(article.locator("h2")).to_have_text("Setext")
    expect(article.locator("pre")).to_have_text('x = "<b>"')
    expect(article.get_by_role("link", name="relative")).to_have_count(0)
    named = article.get_by_role("link", name=re.compile("^(named|image: picture|home)$"))
    expect(named).to_have_count(3)
    expect(named.first).to_have_attribute("href", "https://example.org/home")
    expect(article).not_to_contain_text("[home]:")
    outside = article.get_by_role("link", name="outside")
    expect(outside).to_have_attribute("href", "https://example.org/page")
    expect(article).to_contain_text("outside (example.org)")
    expect(article).not_to_contain_text("Hidden")
    expect(article).not_to_contain_text("@theme")


def test_every_piece_of_a_lesson_knows_its_place_in_the_source(page: Page) -> None:
    """Highlighting a span shows the words of that span, whatever markup surrounds them."""
    FakeService(page).reply("search", {"results": [chunk("x")], "mode": "hybrid"})
    page.goto("/")
    wrong = page.evaluate(
        """async (source) => {
          const base = document.querySelector("script[type=module]").src;
          const { renderMarkdown } = await import(new URL("./markdown.js", base));
          const { fragment, pieces } = renderMarkdown(source, { hidesTags: true });
          document.createElement("div").append(fragment);
          return pieces.filter(({ node, start }) =>
            source.slice(start, start + node.length) !== node.data);
        }""",
        MARKDOWN,
    )

    assert wrong == []


def test_a_lesson_without_a_title_is_called_as_its_first_heading(page: Page) -> None:
    service = FakeService(page)
    text = "## Installation\n\nFirst.\n\n### On Windows\n\nSecond."
    lesson = {"parent_doc_id": "d1", "text": text, "lesson_title": None, "lesson_url": None}
    service.reply("lesson/*", lesson | {"source_file": "ch01-01-installation.md"})
    page.goto("/#/read/d1")

    expect(page.get_by_role("heading", level=1)).to_have_text("Installation")
    expect(page.get_by_role("heading", level=2)).to_have_text("On Windows")


def test_a_question_mark_in_a_link_is_part_of_the_question(page: Page) -> None:
    FakeService(page).answer("Yes.", [])
    page.goto("/#/?q=What is it? And why?")

    expect(page.locator(".question")).to_have_text("What is it? And why?")
