"""The library: for whoever has the admin key, and for nobody else."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.fakes import FakeService, Json
from tests.browser.payloads import payloads
from tests.browser.test_injection import check

KEY = "a-long-enough-admin-key"
TIME = "2026-11-16T15:50:37Z"


def job(**fields: object) -> Json:
    return {
        "job_id": 7,
        "book_id": "robots",
        "mode": "incremental",
        "status": "completed",
        "trigger": "webhook",
        "cancel_requested": False,
        "files_found": 10,
        "files_processed": 4,
        "files_skipped": 1,
        "files_failed": 0,
        "files_left": 5,
        "chunks_created": 12,
        "current_file": None,
        "eta_seconds": None,
        "queued_at": TIME,
        "completed_at": TIME,
        "error_message": None,
        "warning_count": 0,
    } | fields


def book(**fields: object) -> Json:
    return {
        "book_id": "robots",
        "configured": True,
        "files": 10,
        "chunks": 36,
        "updated_at": TIME,
        "source": "/books/robots",
        "problems": 0,
        "latest_job": None,
    } | fields


def question(text: str, **fields: object) -> Json:
    return {
        "key": "k1",
        "book_id": "robots",
        "question": text,
        "count": 3,
        "first_asked_at": TIME,
        "last_asked_at": TIME,
        "closest": [{"title": "Lesson 2", "heading": "Paint", "url": "/docs/paint"}],
    } | fields


def mark(**fields: object) -> Json:
    return {
        "id": "m1",
        "question": "How far?",
        "about": "answer",
        "verdict": "wrong",
        "reason": "Out of date",
        "sources": ["a/b.md"],
        "marked_at": TIME,
    } | fields


def unanswered(*questions: Json, kept: bool = True) -> Json:
    return {"kept": kept, "retention_days": 90.0, "questions": list(questions)}


def marks(*listed: Json, kept: bool = True) -> Json:
    return {"kept": kept, "retention_days": 90.0, "marks": list(listed)}


@pytest.fixture
def service(page: Page) -> FakeService:
    """A service with one book, whose key is known to be right."""
    fake = FakeService(page)
    fake.reply("books", {"books": [book()]})
    fake.reply("ingestion/status?*", [job()])
    fake.reply("feedback/questions?*", unanswered(question("Who painted it?")))
    fake.reply("feedback/marks?*", marks(mark()))
    return fake


def unlock(page: Page) -> None:
    page.goto("/#/library")
    page.get_by_label("Admin key").fill(KEY)
    page.keyboard.press("Enter")


def test_each_book_can_be_read(page: Page, service: FakeService) -> None:
    kept = page.request.get("/room").json()["book_id"]
    service.reply("books", {"books": [book(), book(book_id=kept), book(book_id="new", files=0)]})
    unlock(page)

    links = page.get_by_role("main").get_by_role("link", name="Read", exact=True)
    expect(links).to_have_count(2)
    expect(links.first).to_have_attribute("href", re.compile(r"/\?book=robots#/read$"))
    expect(links.last).to_have_attribute("href", re.compile(r"^[^?]*/#/read$"))


def test_a_wrong_key_opens_nothing_and_is_asked_for_again(page: Page) -> None:
    unlock(page)

    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Admin key")).to_be_focused()
    expect(page.get_by_role("heading", name="Jobs")).to_have_count(0)


def test_the_key_is_sent_in_a_header_and_kept_nowhere(page: Page, service: FakeService) -> None:
    with page.expect_request("**/books") as asked:
        unlock(page)
    assert asked.value.headers["x-admin-api-key"] == KEY
    expect(page.get_by_role("heading", name="robots", exact=True)).to_be_visible()

    stored = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert KEY not in stored
    assert KEY not in page.url
    page.reload()
    expect(page.get_by_label("Admin key")).to_be_visible()


def test_a_run_can_be_previewed_started_watched_and_cancelled(
    page: Page, service: FakeService
) -> None:
    changes = {"new": ["a.md"], "modified": [], "deleted": ["b.md"], "unchanged": 9}
    service.reply("ingestion/changes?*", changes | {"would_refuse": False})
    unlock(page)
    page.get_by_role("button", name="Preview the changes").click()
    expect(page.locator(".changes")).to_contain_text("New: 1a.mdDeleted: 1b.md9 files unchanged.")

    running = job(status="running", completed_at=None, current_file="a.md")
    service.reply("ingestion/trigger", {"job_id": 7, "status": "queued"}, 202)
    service.reply("ingestion/status?*", [running])
    with page.expect_request("**/ingestion/trigger") as asked:
        page.get_by_role("button", name="Index now").click()
    assert asked.value.post_data_json == {"book_id": "robots"}
    expect(page.get_by_role("progressbar", name="Progress of job 7")).to_have_attribute(
        "value", "5"
    )

    service.reply("ingestion/cancel/7", running | {"cancel_requested": True})
    with page.expect_request("**/ingestion/cancel/7"):
        page.get_by_role("button", name="Cancel").click()
    service.reply("ingestion/status?*", [job(status="cancelled")])
    expect(page.locator(".state.cancelled")).to_be_visible()


def test_documents_are_uploaded_into_a_book(page: Page, service: FakeService) -> None:
    unlock(page)
    service.reply("books/manuals/files", {"files": [], "job_id": 8, "status": "queued"})
    page.get_by_label("Book", exact=True).fill("manuals")

    with page.expect_request("**/books/manuals/files") as asked:
        page.get_by_label("Documents").set_input_files(
            FilePayload(name="wren.txt", mimeType="text/plain", buffer=b"Wren is a robot.")
        )

    assert asked.value.headers["x-admin-api-key"] == KEY
    assert asked.value.headers["content-type"].startswith("multipart/form-data")
    assert b"Wren is a robot." in (asked.value.post_data_buffer or b"")
    expect(page.get_by_text("1 file was uploaded.")).to_be_visible()


def test_an_author_sees_what_the_book_lacks_and_crosses_it_off(
    page: Page, service: FakeService
) -> None:
    unlock(page)

    card = page.get_by_role("article").filter(has_text="Who painted it?")
    expect(card).to_contain_text("3 times")
    expect(card.get_by_role("link", name="Lesson 2 › Paint")).to_be_visible()
    expect(card.get_by_role("link", name="Ask it now")).to_have_attribute(
        "href", re.compile(r"/\?book=robots#/\?q=Who%20painted%20it%3F$")
    )
    service.reply("feedback/questions/k1", {"deleted": 1})
    service.reply("feedback/questions?*", unanswered())
    with page.expect_request("**/feedback/questions/k1") as asked:
        card.get_by_role("button", name="Done: Who painted it?").click()
    assert asked.value.method == "DELETE"
    assert asked.value.headers["x-admin-api-key"] == KEY
    expect(page.get_by_text("Nothing was refused yet.")).to_be_visible()


def test_an_author_sees_marks_with_their_reasons(page: Page, service: FakeService) -> None:
    unlock(page)

    card = page.get_by_role("article").filter(has_text="How far?")
    expect(card).to_contain_text("answer wrong")
    expect(card).to_contain_text("Out of date")
    expect(page.get_by_text("1 mark, 0 say right and 1 say wrong.")).to_be_visible()
    service.reply("feedback/marks", {"deleted": 1})
    service.reply("feedback/marks?*", marks())
    page.get_by_role("button", name="Delete all marks").click()
    expect(page.get_by_text("Nothing was marked yet.")).to_be_visible()


def test_the_library_says_what_is_not_kept(page: Page, service: FakeService) -> None:
    service.reply("feedback/questions?*", unanswered(kept=False))
    service.reply("feedback/marks?*", marks(kept=False))
    unlock(page)

    expect(page.get_by_text("SOURCEBOOK_KEEP_UNANSWERED=true")).to_be_visible()
    expect(page.get_by_text("SOURCEBOOK_MARKS=true")).to_be_visible()


def test_a_connection_is_tried_with_the_settings_of_its_provider(
    page: Page, service: FakeService
) -> None:
    unlock(page)
    page.get_by_label("Provider").select_option(label="Qdrant")
    page.get_by_label("URL (required)").fill("http://qdrant.example:6333")
    page.get_by_label("Timeout").fill("3")
    failed = {"success": False, "error": "No answer from there", "duration": 3.0}
    service.reply("providers/qdrant/test?*", failed, 400)
    with page.expect_request("**/providers/qdrant/test?*") as asked:
        page.get_by_role("button", name="Test the connection").click()

    config = {"url": "http://qdrant.example:6333", "grpc": False, "timeout_s": 3}
    assert asked.value.post_data_json == {"config": config}
    expect(page.get_by_text("No answer from there")).to_be_visible()
    service.reply("providers/qdrant/test?*", {"success": True, "duration": 12.2})
    page.get_by_role("button", name="Test the connection").click()
    expect(page.get_by_text("It works: connected in 12 ms. Nothing was saved.")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_the_library(
    page: Page, service: FakeService, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    service.reply("ingestion/status?*", [job(status="failed", error_message="Not readable")])
    unlock(page)
    page.get_by_label("Provider").select_option(label="Qdrant")
    page.get_by_label("URL (required)").wait_for()

    found = Axe().run(page)
    page.set_viewport_size({"width": 320, "height": 640})

    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def test_names_paths_and_errors_of_the_library_cannot_do_anything(
    page: Page, service: FakeService
) -> None:
    texts = payloads()
    books = [book(book_id=text, source=text, latest_job=None) for text in texts]
    jobs = [job(book_id=text, error_message=text, status=text) for text in texts]
    cards = [
        {"kind": "embedders", "id": text, "display_name": text, "description": text}
        | {"installed": False, "install": text}
        for text in texts
    ]
    collections = [
        {"name": text, "count": 1, "metadata": {"embedding_model": text}} for text in texts
    ]
    service.reply("books", {"books": books})
    service.reply("ingestion/status?*", jobs)
    service.reply("providers", {"providers": cards})
    service.reply("collections", {"collections": collections})
    place = [{"title": text, "heading": text, "url": text} for text in texts[:3]]
    asked = [question(text, book_id=text, key=text, closest=place) for text in texts]
    service.reply("feedback/questions?*", unanswered(*asked))
    marked = [mark(question=text, reason=text, about=text, sources=[text]) for text in texts]
    service.reply("feedback/marks?*", marks(*marked))
    unlock(page)

    expect(page.locator(".cards article")).to_have_count(4 * len(texts))
    page.get_by_label("Provider").select_option(index=2)
    expect(page.locator(".provider .note")).to_be_visible()
    check(page)
