"""The widget on a docs site of another origin."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import TIMEOUT_MS, Watch
from tests.browser.fakes import FakeChat, FakeService, source
from tests.browser.payloads import payloads
from tests.browser.test_ask import BLOCK, KNEE

# One of the origins that may call the service unless it is told otherwise.
SITE = "http://localhost:3000"
HTML = """<!doctype html><html lang="en"><head><title>Docs</title>
<style>button {{ display: none }} p {{ color: red; font-size: 40px }}</style></head>
<body><main><h1>Docs</h1><p>The limits in a URDF file keep planners honest. A knee of the robot
bends to 2.27 radians.</p></main>
<script type="module" src="{server}/widget.js" data-title="Ask Wren" data-theme="{theme}"></script>
</body></html>"""


@pytest.fixture
def site(browser: Browser, server: str) -> Iterator[Page]:
    """A docs site with its own styles and the script tag."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    watch = Watch(server, SITE)
    watch.follow(page)
    html = HTML.format(server=server, theme="light")
    page.route(f"{SITE}/**", lambda route: route.fulfill(content_type="text/html", body=html))
    page.goto(f"{SITE}/")
    yield page
    context.close()
    assert watch.troubles == []


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def test_a_reader_of_a_docs_site_asks_and_sees_the_quote(site: Page, server: str) -> None:
    site.get_by_role("button", name="Ask Wren").click()
    expect(site.get_by_label("Your question")).to_be_focused()
    ask(site, "How far can Wren's knee bend?")

    expect(site.locator(".answer-text")).to_contain_text(BLOCK)
    expect(site.locator(".answer-text mark")).to_have_text(KNEE)
    site.get_by_role("button", name="Source 1: Lesson 2.2").click()
    quote = site.locator(".quote")
    expect(quote.locator("blockquote")).to_have_text(BLOCK)
    expect(quote.get_by_role("link")).to_have_attribute(
        "href", re.compile(rf"^{re.escape(server)}/#/read/[0-9a-f-]+\?from=2729&to=3113$")
    )
    # The styles of the site stay outside.
    expect(site.locator(".answer-text p")).to_have_css("font-size", "16px")
    found = Axe().run(site)
    assert found.violations_count == 0, found.generate_report()
    site.keyboard.press("Escape")
    expect(site.get_by_role("button", name="Ask Wren")).to_be_focused()


def test_the_page_is_a_hint_without_what_may_be_private_in_its_address(site: Page) -> None:
    site.goto(f"{SITE}/guide?token=secret#part")
    site.get_by_role("button", name="Ask Wren").click()
    with site.expect_request("**/chat/stream") as asked:
        ask(site, "What does this page say about the knee?")

    body = asked.value.post_data_json or {}
    assert body["page"] == {"url": f"{SITE}/guide", "title": "Docs"}
    assert "secret" not in (asked.value.post_data or "")


def test_a_selection_on_the_site_can_be_asked_about(site: Page) -> None:
    site.evaluate("() => getSelection().selectAllChildren(document.querySelector('main p'))")
    site.get_by_role("button", name="Ask about this").click()
    with site.expect_request("**/chat/stream") as asked:
        ask(site, "How far does the knee bend?")

    body = asked.value.post_data_json
    assert body is not None
    assert body["mode"] == "selected_text"
    assert body["selected_text"].endswith("bends to 2.27 radians.")
    expect(site.locator(".answer-text")).to_contain_text("2.27 radians")
    with site.expect_request("**/chat/stream") as wider:
        site.get_by_role("button", name="Ask the whole documentation").click()
    assert "selected_text" not in (wider.value.post_data_json or {})


def test_an_answer_cannot_do_anything_on_the_site(site: Page) -> None:
    text = "\\n\\n".join(payloads())
    site.evaluate(
        """(text) => {
          const card = document.createElement("exchange-card");
          const { shadowRoot } = document.querySelector("sourcebook-widget");
          shadowRoot.querySelector(".thread").append(card);
          card.recall(text, text, [{ number: 1, page_title: text, section_heading: text,
            chunk_text: text, source_url: text, source_file: text, relevance_score: 1 }]);
          card.choose(1, card);
        }""",
        text,
    )

    expect(site.locator("exchange-card .quote")).to_have_count(1)
    shadow = "sourcebook-widget exchange-card"
    expect(site.locator(f"{shadow} :is(script, img, iframe, object, style, link)")).to_have_count(0)


def test_a_chip_in_the_window_shows_the_statement_beside_a_model_s_words(site: Page) -> None:
    chat = FakeChat(site)
    site.reload()
    site.get_by_role("button", name="Ask Wren").click()
    ask(site, "Why?")
    chat.say("Said freely. [1]", cited=True)
    chat.cite(source(1))
    chat.finish()

    site.locator(".answer-text button.chip.hollow").focus()
    expect(site.get_by_role("tooltip")).to_contain_text("The source says:The exact words.")


def test_a_refusal_in_the_window_shows_what_perhaps_helps(site: Page, server: str) -> None:
    place = {"title": "Arms", "heading": "Elbows", "text": "Elbows bend."}
    place |= {"url": "/?book=b#/read/d?section=elbows&from=2&to=9"}
    FakeService(site).answer("I don't know.", [], answered=False, closest=[place])
    site.get_by_role("button", name="Ask Wren").click()
    ask(site, "Why?")

    helps = site.get_by_role("list", name="Perhaps this helps")
    expect(helps).to_have_text("ArmsElbowsElbows bend.")
    expect(helps.get_by_role("link")).to_have_attribute(
        "href", f"{server}/#/read/d?section=elbows&from=2&to=9"
    )
    found = Axe().run(site)
    assert found.violations_count == 0, found.generate_report()


def test_the_window_fits_a_small_screen(site: Page) -> None:
    site.set_viewport_size({"width": 320, "height": 560})
    site.get_by_role("button", name="Ask Wren").click()

    box = site.get_by_role("dialog", name="Ask Wren").bounding_box()

    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    assert box["y"] >= 0
