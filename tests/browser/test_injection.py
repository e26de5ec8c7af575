"""Whatever a text says, the page runs nothing of it and calls nobody else.

The `page` fixture fails a test in which a dialog opened, another host was called, or the content
security policy had to step in.
"""

from playwright.sync_api import Page, expect

from tests.browser.fakes import FakeService, chunk, source
from tests.browser.payloads import payloads

ALL = payloads()
# What no text may become, wherever it is shown.
FORBIDDEN = (
    "main :is(script, img, iframe, object, embed, link, style, meta, base, video, audio,"
    " svg script, svg[onload], form[action], template)"
)
_UNSAFE_ATTRIBUTES = """() => [...document.querySelectorAll("body *")].flatMap((element) =>
  [...element.attributes].filter(({ name }) => /^on|^srcdoc$|^formaction$|^ping$/.test(name))
  ).length"""
_SCHEMES = """() => [...new Set([...document.querySelectorAll("a[href]")]
  .map((link) => new URL(link.getAttribute("href"), location.href).protocol))]"""


def check(page: Page) -> None:
    """Nothing on the page was made from markup, and every link is of a kind that may be opened."""
    expect(page.locator(FORBIDDEN)).to_have_count(0)
    assert page.evaluate(_UNSAFE_ATTRIBUTES) == 0
    assert set(page.evaluate(_SCHEMES)) <= {"http:", "https:", "mailto:"}


def hostile(number: int, text: str) -> dict[str, object]:
    return source(
        number,
        source_url=text,
        page_title=text,
        section_heading=text,
        chunk_text=text,
        source_file=text,
        lesson_url=text,
        statement_text=text,
        document_id="d1",
        chunk_id="c1",
    )


def test_there_are_enough_payloads() -> None:
    assert len(ALL) >= 200


def test_a_remembered_conversation_cannot_do_anything(page: Page) -> None:
    messages: list[dict[str, object]] = []
    for text in ALL:
        messages.append({"role": "user", "content": text, "sources": None})
        messages.append({"role": "assistant", "content": text, "sources": [hostile(1, text)]})
    FakeService(page).reply("conversations/*", {"messages": messages})
    page.add_init_script(
        "localStorage.setItem('sourcebook.session', '8f14e45f-ceea-4e7f-b8d1-9a2b6f3c4d5e')"
    )
    page.goto("/")

    expect(page.locator("exchange-card")).to_have_count(len(ALL))
    check(page)


def test_an_answer_and_its_sources_cannot_do_anything(page: Page) -> None:
    service = FakeService(page)
    everything = "\n\n".join(f"{text} [{n}]" for n, text in enumerate(ALL[:100], 1))
    service.answer(everything, [hostile(n, text) for n, text in enumerate(ALL, 1)])
    page.goto("/")
    page.get_by_label("Your question").fill(ALL[0])
    page.keyboard.press("Enter")

    expect(page.locator(".source")).to_have_count(len(ALL))
    check(page)
    chip = page.locator(".answer-text button.chip").first
    chip.focus()
    expect(page.get_by_role("tooltip")).to_contain_text(ALL[0])
    check(page)


def test_places_to_look_at_cannot_do_anything(page: Page) -> None:
    places = [{"title": text, "heading": text, "url": text, "text": text} for text in ALL]
    places += [{**one, "url": f"{one['url']}#/read/{one['url']}"} for one in places]
    FakeService(page).answer("No.", [], answered=False, closest=places, further=places)
    page.goto("/")
    page.get_by_label("Your question").fill("Why?")
    page.keyboard.press("Enter")

    expect(page.locator(".places li")).to_have_count(2 * len(places))
    check(page)


def test_the_passage_of_a_source_cannot_do_anything(page: Page) -> None:
    service = FakeService(page)
    text = "\n\n".join(ALL)
    service.reply("context/c1?*", {"chunks": [chunk(text, lesson_title=ALL[0], module=ALL[1])]})
    service.answer("Yes. [1]", [hostile(1, ALL[0])])
    page.goto("/")
    page.get_by_label("Your question").fill("Why?")
    page.keyboard.press("Enter")
    page.locator(".source").click()

    expect(page.locator("source-panel .prose")).to_contain_text("alert(1)")
    check(page)


def test_errors_and_questions_and_names_cannot_do_anything(page: Page) -> None:
    service = FakeService(page)
    room = {"book_id": ALL[0], "kept": ALL[0], "books": ALL, "indexed": True, "model": ALL[3]}
    service.reply("room", room)
    service.reply("room/questions", {"book_id": "b", "questions": ALL})
    page.goto("/")
    expect(page.locator(".starters li")).to_have_count(len(ALL))
    check(page)
    for text in ALL[:12]:
        body = {"error_code": text, "message": text, "retry_after": None}
        service.reply("chat/stream", body, 503)
        page.get_by_label("Your question").fill("Why?")
        page.keyboard.press("Enter")
        expect(page.locator(".problem").last).to_contain_text(text.strip()[:20])
    check(page)


def test_results_of_a_search_cannot_do_anything(page: Page) -> None:
    service = FakeService(page)
    fields = ("lesson_title", "section_title", "module", "source_file", "parent_doc_id")
    results = [chunk(text, **dict.fromkeys(fields, text)) for text in ALL]
    service.reply("search", {"results": results, "mode": ALL[0]})
    names = [
        {"module": text, "chapter": 1, "hardware_tier": 1, "proficiency_level": text}
        for text in ALL
    ]
    service.reply("lessons", {"book_id": "b", "lessons": names})
    page.goto("/#/search?q=alert")

    expect(page.locator(".result")).to_have_count(len(ALL))
    expect(page.locator("select[name=module] option")).to_have_count(len(ALL) + 1)
    check(page)


def test_a_lesson_and_the_contents_cannot_do_anything(page: Page) -> None:
    service = FakeService(page)
    entries = [
        {"parent_doc_id": f"d{n}", "lesson_title": text, "source_file": f"{text}/{text}"}
        for n, text in enumerate(ALL)
    ]
    service.reply("lessons", {"book_id": "b", "lessons": entries})
    whole = {
        "parent_doc_id": "d0",
        "text": "\n\n".join(ALL),
        "lesson_title": ALL[0],
        "source_file": ALL[1],
        "lesson_url": ALL[40],
    }
    service.reply("lesson/*", whole)
    page.goto("/#/read/d0")

    expect(page.locator(".lesson")).to_contain_text("alert(1)")
    expect(page.locator(".contents a")).to_have_count(len(ALL))
    check(page)


def test_addresses_of_views_cannot_do_anything(page: Page) -> None:
    FakeService(page).answer("Yes.", [])
    for text in (ALL[0], ALL[3], ALL[40]):
        page.goto("about:blank")
        page.goto(f"/#/read/{text.replace('%', '')}?from={text}&to=1")
        page.locator(".lesson h1").wait_for()
        page.goto(f"/#/{text}")
    check(page)
