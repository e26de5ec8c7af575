"""Every view for everyone: no axe violation, no sideways scrolling, both colour schemes."""

from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.fakes import FakeService
from tests.browser.test_read_and_search import SELECT


def start(page: Page) -> None:
    page.goto("/")
    page.locator(".starters li").first.wait_for()


def answer(page: Page) -> None:
    page.goto("/#/?q=How%20does%20Wren%20stop%20safely%3F")
    page.locator(".actions button").first.wait_for()


def panel(page: Page) -> None:
    answer(page)
    page.locator("button.chip").last.click()
    page.locator("source-panel .prose").wait_for()


def refusal(page: Page) -> None:
    page.goto("/#/?q=What%20is%20the%20capital%20of%20France%3F")
    page.locator(".actions button").first.wait_for()


def places(page: Page) -> None:
    place = {"title": "Arms", "heading": "Elbows", "url": "https://example.org/arms"}
    closest = [{**place, "text": "Elbows bend. " * 20}, place]
    FakeService(page).answer("No.", [], answered=False, closest=closest, further=closest)
    refusal(page)
    page.get_by_role("list", name="Perhaps this helps").wait_for()


def search(page: Page) -> None:
    page.goto("/#/search?q=how%20close%20may%20people%20stand")
    page.locator(".result").first.wait_for()
    page.get_by_label("Explain the ranking").check()
    page.locator(".stages").wait_for()


def lesson(page: Page) -> None:
    page.goto("/#/search?q=knee%20bend")
    page.locator(".result").first.click()
    page.locator(".lesson h1").wait_for()


def selection(page: Page) -> None:
    lesson(page)
    page.evaluate(SELECT, "knee bends")
    page.get_by_role("button", name="Ask about this").click()
    page.get_by_label("Your question about the selection").fill("How far does the knee bend?")
    page.keyboard.press("Enter")
    page.locator("ask-about .actions button").first.wait_for()


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
VIEWS: list[Callable[[Page], None]] = [
    start, answer, panel, refusal, places, search, lesson, selection,
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_wrong_in_either_colour_scheme(
    page: Page, view: Callable[[Page], None]
) -> None:
    view(page)

    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_needs_sideways_scrolling_on_a_narrow_screen(
    page: Page, view: Callable[[Page], None]
) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    view(page)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    # Twice the size on an ordinary screen.
    page.set_viewport_size({"width": 640, "height": 400})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 640


def test_a_first_answer_and_its_source_need_only_the_keyboard(page: Page) -> None:
    page.goto("/")
    page.locator(".starters li").first.wait_for()
    page.keyboard.type("How far can Wren's knee bend?")
    page.keyboard.press("Enter")
    page.locator("button.chip").wait_for()
    page.keyboard.press("Shift+Tab")
    for _ in range(10):
        if page.evaluate("() => document.activeElement.matches('button.chip')"):
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("source-panel h2")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("source-panel .passage")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("button.chip")).to_be_focused()
