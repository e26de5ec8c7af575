"""Readers mark what they got, and say why; only where the operator keeps marks."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, expect

from tests.browser.fakes import FakeService, Json, chunk, source
from tests.browser.payloads import payloads
from tests.browser.test_ask import ask
from tests.browser.test_injection import check

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
ROOM = {
    "book_id": "robots",
    "kept": "robots",
    "books": ["robots"],
    "indexed": True,
    "model": "extractive",
    "takes_marks": True,
}


@pytest.fixture
def service(page: Page) -> FakeService:
    """A service that keeps marks, and knows one answer."""
    fake = FakeService(page)
    fake.reply("room", ROOM)
    fake.reply("feedback/marks", {"id": "x"})
    fake.answer("Yes. [1] Indeed. [2]", [source(1), source(2)])
    return fake


def sent(request: Request) -> Json:
    body = request.post_data_json
    assert isinstance(body, dict)
    return body


def test_a_reader_says_that_an_answer_is_wrong_and_why(page: Page, service: FakeService) -> None:
    page.goto("/")
    ask(page, "Why?")
    with page.expect_request("**/feedback/marks") as first:
        page.get_by_role("button", name="This answer is not right").click()
    with page.expect_request("**/feedback/marks") as second:
        page.get_by_role("button", name="Out of date").click()

    expect(page.locator(".why")).to_have_text("Thank you, the author will see it.")
    expect(page.get_by_role("button", name="This answer is not right")).to_be_focused()
    marked = {"question": "Why?", "about": "answer", "verdict": "wrong", "sources": ["a/b.md"]}
    assert sent(first.value) == marked | {"reason": "", "id": sent(first.value)["id"]}
    # The same mark again, with its reason.
    assert sent(second.value) == sent(first.value) | {"reason": "Out of date"}


def test_a_reader_gives_a_reason_of_their_own_with_the_keyboard(
    page: Page, service: FakeService
) -> None:
    page.goto("/")
    ask(page, "Why?")
    page.get_by_role("button", name="This answer is not right").press("Enter")
    page.get_by_label("Another reason").fill("It is for the old model")
    with page.expect_request("**/feedback/marks") as asked:
        page.keyboard.press("Enter")

    assert sent(asked.value)["reason"] == "It is for the old model"
    for scheme in SCHEMES:
        page.get_by_role("button", name="This answer is not right").click()
        page.get_by_label("Another reason").wait_for()
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("button", name="This answer is not right").click()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    box, composer = page.locator(".why").bounding_box(), page.locator(".composer").bounding_box()
    assert box is not None
    assert composer is not None
    # The question why is not hidden below the box for the next question.
    assert box["y"] + box["height"] <= composer["y"] + 1


def test_a_refusal_and_a_result_can_be_marked(page: Page, service: FakeService) -> None:
    service.answer("I don't have information about that.", [], answered=False)
    page.goto("/")
    ask(page, "Who?")
    with page.expect_request("**/feedback/marks") as refusal:
        page.get_by_role("button", name="Right, the book does not answer this").click()
    assert (sent(refusal.value)["about"], sent(refusal.value)["verdict"]) == ("refusal", "right")

    service.reply("search", {"results": [chunk("The knee bends.")], "mode": "hybrid"})
    page.goto("/#/search?q=knee")
    with page.expect_request("**/feedback/marks") as hit:
        page.get_by_role("button", name="This result is right").click()
    marked = {"question": "knee", "about": "hit", "verdict": "right", "sources": ["a/b.md"]}
    assert marked.items() <= sent(hit.value).items()


def test_a_mark_that_is_not_kept_is_said_not_to_be(page: Page, service: FakeService) -> None:
    text = payloads()[0]
    body = {"error_code": "rate_limited", "message": text, "retry_after": 9}
    service.reply("feedback/marks", body, 429)
    page.goto("/")
    ask(page, "Why?")
    page.get_by_role("button", name="This answer is right").click()

    expect(page.locator(".why")).to_contain_text(f"It was not kept: {text}")
    check(page)


def test_without_the_operators_leave_nothing_can_be_marked(
    page: Page, service: FakeService
) -> None:
    service.reply("room", ROOM | {"takes_marks": False})
    page.goto("/")
    ask(page, "Why?")

    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    expect(page.locator(".marks")).to_have_count(0)
