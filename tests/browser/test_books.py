"""A service with several books: a visitor chooses one, and everything is about that one."""

import re
import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.fakes import FakeService
from tests.browser.test_ask import ask
from tests.e2e.conftest import _quickstart
from tests.e2e.processes import WITH_READER, run, serving
from tests.templates import made_once

ASKED = "How much water does a pelican's beak hold?"
BEAK = "A pelican's beak holds eleven litres of water."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with the sample book and one on birds."""
    folder = tmp_path_factory.mktemp("books")
    shutil.copytree(
        made_once(tmp_path_factory, "quickstarted", _quickstart) / "data", folder / "data"
    )
    (folder / "birds").mkdir()
    (folder / "birds" / "pelicans.md").write_text(f"# Pelicans\n\n## {ASKED}\n\n{BEAK}\n")
    done = run("ingest", "birds", "--book", "birds", "--data-dir", "data", cwd=folder)
    assert done.code == 0, done.err
    env = {**WITH_READER, "BOOK_ID": "sample-book"}
    with serving("quickstart", "--data-dir", "data", cwd=folder, env=env) as running:
        yield running.url


def choose_birds(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Book", exact=True).select_option("Birds")
    expect(page).to_have_url("/?book=birds#/")


def test_questions_are_answered_from_the_book_that_is_chosen(page: Page) -> None:
    choose_birds(page)
    ask(page, ASKED)

    expect(page.locator(".answer-text")).to_contain_text(BEAK)
    page.locator(".source").first.click()
    expect(page.locator("source-panel .prose")).to_contain_text(BEAK)
    page.get_by_role("link", name="Open the lesson").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pelicans")


def test_each_book_has_a_conversation_of_its_own(page: Page) -> None:
    choose_birds(page)
    ask(page, ASKED)
    expect(page.locator(".answer-text")).to_contain_text(BEAK)

    page.get_by_label("Book", exact=True).select_option(index=0)
    expect(page).not_to_have_url("/?book=birds#/")
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(page.locator(".answer-text")).to_have_count(0)
    page.goto("/?book=birds")
    expect(page.locator(".answer-text")).to_contain_text(BEAK)


def test_lists_and_searches_are_those_of_the_book(page: Page) -> None:
    page.goto("/?book=birds#/read")
    expect(page.get_by_role("navigation", name="Contents")).to_have_text(f"Pelicans{ASKED}")
    page.goto("/?book=birds#/search?q=water")
    expect(page.locator(".result")).to_have_count(1)
    page.locator(".result").click()
    expect(page).to_have_url(re.compile(r"/\?book=birds#/read/"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Pelicans")


def test_a_book_that_is_not_there_leads_back(page: Page) -> None:
    page.goto("/?book=fish")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such book")
    page.get_by_role("link", name="Open the book that is kept here").click()
    expect(page.get_by_label("Your question")).to_be_visible()


@pytest.mark.parametrize("name", ["", "x" * 201])
def test_what_cannot_be_a_name_is_no_outage(page: Page, name: str) -> None:
    page.goto(f"/?book={name}")
    away = page.get_by_role("heading", name="The service does not answer")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(away).to_have_count(0)


def test_the_kept_book_is_never_another_one(page: Page, server: str) -> None:
    kept = page.request.get("/room").json()["book_id"]
    page.goto(f"/?book={kept}#/search")

    expect(page).to_have_url(f"{server}/#/search")
    expect(page.get_by_label("Book", exact=True)).to_have_value(kept)


def test_a_book_offers_questions_that_it_answers(page: Page) -> None:
    page.goto("/?book=birds")
    page.locator(".starters").get_by_text(ASKED).click()

    expect(page.locator(".answer-text")).to_contain_text(BEAK)


def test_the_choice_fits_a_phone_and_breaks_no_rule(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/?book=birds")

    expect(page.get_by_label("Book", exact=True)).to_be_in_viewport()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_widget_asks_the_book_that_its_tag_names(page: Page, server: str) -> None:
    tag = '<script type="module" src="/widget.js" data-title="Ask" data-book="birds"></script>'
    html = f"<!doctype html><html lang=en><title>Docs</title><body><p>Birds</p>{tag}</body></html>"
    page.route("**/docs", lambda route: route.fulfill(content_type="text/html", body=html))
    page.goto("/docs")
    page.get_by_role("button", name="Ask").click()
    ask(page, ASKED)

    expect(page.locator(".answer-text")).to_contain_text(BEAK)
    page.locator("button.source").first.click()
    expect(page.locator(".quote").get_by_role("link")).to_have_attribute(
        "href", re.compile(rf"^{re.escape(server)}/\?book=birds#/read/")
    )
    room = page.get_by_role("link", name="Reading room")
    expect(room).to_have_attribute("href", f"{server}/?book=birds#/")


def test_where_all_books_are_asked_the_menu_says_so_and_offers_each(page: Page) -> None:
    room = {"book_id": None, "kept": None, "books": ["birds", "fish"], "indexed": True}
    service = FakeService(page)
    service.reply("room", {**room, "model": "extractive", "takes_marks": False})
    service.reply("room/questions", {"book_id": None, "questions": []})
    page.goto("/")
    menu = page.get_by_label("Book", exact=True)

    expect(menu.locator("option")).to_have_text(["All books", "Birds", "Fish"])
    expect(menu).to_have_value("")
    menu.select_option("Birds")
    expect(page).to_have_url("/?book=birds#/")


def test_a_single_book_is_named_and_not_offered(page: Page) -> None:
    room = {
        "book_id": "birds",
        "kept": "birds",
        "books": ["birds"],
        "indexed": True,
        "model": "extractive",
    }
    FakeService(page).reply("room", {**room, "takes_marks": False})
    page.goto("/")

    expect(page.locator("#book-name")).to_have_text("Birds")
    expect(page.get_by_label("Book", exact=True)).to_have_count(0)
