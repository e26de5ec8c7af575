"""Asking in the reading room: from the first question to the highlighted words."""

import json
import re

from playwright.sync_api import Page, Route, expect

from sourcebook.providers.converters import pdf, pdf_pages
from tests import document_files
from tests.browser.fakes import FakeChat, FakeService, chunk, source

KNEE = "Wren's knee bends from straight, at zero, to 2.27 radians, or about 130°."
BLOCK = (
    "Effort and velocity must always be given for these two kinds; a missing lower or upper bound"
    f" quietly counts as zero, which turns a knee into a statue. {KNEE} The controller does not"
    " use all of it. Wren keeps a soft limit 0.06 radians inside each hard stop, so that a late"
    " command meets software before it meets metal."
)

HISTORY = json.dumps(
    {
        "messages": [
            {"role": "user", "content": "And before?"},
            {"role": "assistant", "content": "Second. [1]", "sources": [source()]},
        ]
    }
)


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def held(page: Page, path: str) -> list[Route]:
    """The requests for a path, which get no reply until the test gives one."""
    routes: list[Route] = []
    page.route(f"**/{path}", lambda route: routes.append(route))  # noqa: PLW0108 - Playwright wants one
    return routes


def highlighted(page: Page, name: str = "cited") -> str:
    """The text that is highlighted under a name."""
    text: str = page.evaluate(
        "name => [...(CSS.highlights.get(name) ?? [])].map(String).join('')", name
    )
    return text


def test_a_visitor_asks_an_offered_question_and_lands_on_the_cited_words(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("no language model is set up")).to_be_visible()

    page.get_by_role("link", name="How far can Wren's knee bend?").click()
    expect(page.locator(".answer-text")).to_contain_text(BLOCK)
    expect(page.locator(".answer-text mark")).to_have_text(KNEE)
    page.get_by_role(
        "button", name="Source 1: Lesson 2.2: Frames and Joints › Joint limits"
    ).click()

    panel = page.get_by_role("complementary", name="Source")
    expect(panel.get_by_role("heading", name="Lesson 2.2: Frames and Joints")).to_be_focused()
    expect(panel).to_contain_text("02-frames-and-joints.md:41")
    expect(panel).to_contain_text("tier 1")
    expect(panel.locator(".prose")).to_contain_text(KNEE)
    assert highlighted(page) == BLOCK
    expect(page.locator(".cited.lit")).to_contain_text(BLOCK)

    panel.get_by_role("button", name="Show what comes before").click()
    expect(panel.locator(".prose")).to_contain_text("Half of robotics is keeping track")
    assert highlighted(page) == BLOCK

    panel.get_by_role("link", name="Open the lesson").click()
    expect(page.get_by_role("heading", level=1, name="Lesson 2.2")).to_be_visible()
    assert highlighted(page) == BLOCK


def test_a_conversation_is_there_again_after_a_reload_until_a_new_one_begins(page: Page) -> None:
    page.goto("/")
    ask(page, "How far can Wren's knee bend?")
    expect(page.locator(".actions button")).to_have_count(4)
    ask(page, "And the elbow?")
    expect(page.locator("exchange-card")).to_have_count(2)
    expect(page.locator(".waiting")).to_have_count(0)

    page.reload()

    expect(page.locator("exchange-card")).to_have_count(2)
    expect(page.locator(".question").first).to_have_text("How far can Wren's knee bend?")
    page.locator("button.chip").first.click()
    expect(page.locator("source-panel .prose")).to_contain_text(KNEE)
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("exchange-card")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()


def test_what_is_done_before_the_history_comes_goes_on(page: Page) -> None:
    FakeService(page).answer("First. [1]", [source()])
    histories = held(page, "conversations/*")
    with page.expect_request("**/conversations/*"):
        page.goto("/")
    ask(page, "And now?")
    chip = page.locator(".answer-text button.chip")
    expect(page.locator(".source")).to_have_count(1)
    chip.focus()

    histories[0].fulfill(content_type="application/json", body=HISTORY)

    expect(page.locator(".question")).to_have_text(["And before?", "And now?"])
    expect(page.locator(".answer-text button.chip").nth(1)).to_be_focused()


def test_what_is_asked_before_the_page_knows_its_book_follows_the_history(page: Page) -> None:
    FakeService(page).answer("First. [1]", [source()])
    rooms = held(page, "room")
    histories = held(page, "conversations/*")
    with page.expect_request("**/room"):
        page.goto("/")
    ask(page, "And now?")
    expect(page.locator(".source")).to_have_count(1)

    with page.expect_request("**/conversations/*"):
        rooms[0].continue_()
    ask(page, "And then?")
    expect(page.locator(".source")).to_have_count(2)
    histories[0].fulfill(content_type="application/json", body=HISTORY)

    expect(page.locator(".question")).to_have_text(["And before?", "And now?", "And then?"])


def test_a_new_conversation_does_not_begin_with_the_history_of_another(page: Page) -> None:
    FakeService(page).answer("First. [1]", [source()])
    histories = held(page, "conversations/*")
    with page.expect_request("**/conversations/*"):
        page.goto("/")
    ask(page, "And now?")
    page.get_by_role("button", name="New conversation").click()

    with page.expect_response("**/conversations/*"):
        histories[0].fulfill(content_type="application/json", body=HISTORY)

    ask(page, "And then?")
    expect(page.locator(".source")).to_have_count(1)
    expect(page.locator(".question")).to_have_text(["And then?"])


def test_a_link_to_an_answer_holds_the_question_and_not_the_session(page: Page) -> None:
    page.goto("/")
    ask(page, "How far can Wren's knee bend?")

    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("() => navigator.clipboard.readText()")

    session = page.evaluate("() => localStorage.getItem('sourcebook.session')")
    assert session not in link
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".answer-text")).to_contain_text(KNEE)
    assert page.evaluate("() => localStorage.getItem('sourcebook.session')") != session


def test_copied_answers_bring_their_sources(page: Page) -> None:
    page.goto("/")
    ask(page, "How far can Wren's knee bend?")

    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    markdown = page.evaluate("() => navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy as text").click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(2)
    text = page.evaluate("() => navigator.clipboard.readText()")

    assert markdown.startswith("**How far can Wren's knee bend?**")
    for copied in (markdown, text):
        assert f"{BLOCK} [1]" in copied
        assert "[1] Lesson 2.2: Frames and Joints › Joint limits (module-1" in copied
        assert copied.count(BLOCK) == 2


def test_an_answer_grows_sentence_by_sentence_and_is_announced_politely(page: Page) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    expect(page.get_by_text("Searching the book …")).to_be_visible()
    chat.find("Lesson 1", "Lesson 1", "Lesson 2", "Lesson 3")
    expect(page.get_by_text("Reading Lesson 1, Lesson 2 and 1 more …")).to_be_visible()

    chat.say("First. [1] ")
    expect(page.get_by_text("Writing …")).to_be_visible()
    first = page.locator("button.chip").first
    first.focus()
    chat.say("\n\nSecond. [2]")
    expect(page.locator(".answer-text p")).to_have_text(["First. 1", "Second. 2"])
    expect(first).to_be_focused()
    chat.cite(source(1), source(2))
    chat.finish()

    expect(page.locator(".source")).to_have_count(2)
    expect(page.locator(".status")).to_be_empty()
    live = page.locator("[aria-live=polite]")
    expect(live.locator("p")).to_contain_text(["First.", "Second."])
    assert chat.asked[0]["query"] == "Why?"


def test_a_source_can_be_opened_before_the_answer_is_complete(page: Page) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    assert chat.asked[0]["progress"] is True
    chat.cite(source(1))
    chat.say("First. [1] ")

    page.get_by_role("button", name="Source 1: Lesson 1 › Part").click()
    expect(page.locator("source-panel blockquote")).to_have_text("The exact words.")
    chat.cite(source(1), source(2))
    chat.say("\n\nSecond. [2]")
    chat.finish()

    expect(page.locator(".source")).to_have_count(2)
    expect(page.locator("source-panel")).to_be_visible()


def test_a_stopped_answer_keeps_its_text_and_can_be_asked_again(page: Page) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    chat.say("A beginning.")

    page.get_by_role("button", name="Stop").click()

    expect(page.locator(".note")).to_have_text("You stopped this answer.")
    expect(page.locator(".answer-text")).to_have_text("A beginning.")
    page.get_by_role("button", name="Ask again").click()
    chat.say("All of it.")
    chat.finish()
    expect(page.locator(".answer-text")).to_have_text("All of it.")
    assert len({asked["session_id"] for asked in chat.asked}) == 1


def test_an_answer_that_breaks_off_says_so_and_keeps_its_text(page: Page) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    chat.say("A beginning.")

    chat.break_off()

    expect(page.locator(".problem")).to_contain_text("The service does not answer")
    expect(page.locator(".answer-text")).to_have_text("A beginning.")


def test_the_page_does_not_scroll_away_from_somebody_who_reads_above(page: Page) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    chat.say("Long. " * 2_000)
    page.wait_for_function("() => scrollY > 500")
    # Browsers tell of it with the next frame.
    page.evaluate(
        """() => new Promise((done) => {
          addEventListener("scroll", () => setTimeout(done), { once: true });
          scrollTo(0, 100);
        })"""
    )

    chat.say("\n\nMore. " * 50)
    expect(page.locator(".answer-text p")).to_have_count(51)

    assert page.evaluate("() => scrollY") == 100


def test_a_refusal_shows_the_closest_places(page: Page) -> None:
    lesson = {"title": "Lesson 2.2", "heading": "Joints", "url": "/?book=b#/read/d?section=x"}
    website = {"title": "Elsewhere", "heading": "", "url": "https://example.org/docs/y"}
    unknown = {"title": "Posted", "heading": "Part", "url": ""}
    service = FakeService(page)
    closest = [lesson, website, unknown]
    service.answer("I don't have information", [], answered=False, closest=closest)
    page.goto("/")
    ask(page, "What colour is it?")

    expect(page.locator("exchange-card.refused")).to_be_visible()
    places = page.get_by_role("list", name="The closest places").get_by_role("link")
    expect(places).to_have_text(["Lesson 2.2Joints", "Elsewhere", "PostedPart"])
    expect(places.nth(0)).to_have_attribute("href", re.compile(r"/#/read/d\?section=x$"))
    expect(places.nth(1)).to_have_attribute("href", "https://example.org/docs/y")
    expect(places.nth(2)).to_have_attribute("href", re.compile(r"#/search\?q=Part$"))
    expect(page.get_by_role("list", name="Perhaps this helps")).to_have_count(0)


def test_what_perhaps_helps_after_a_refusal_is_no_answer_and_opens_highlighted(page: Page) -> None:
    read = page.request.get("/lessons").json()["lessons"]
    lesson = next(one for one in read if "Frames and Joints" in one["lesson_title"])
    room = f"/?book=b#/read/{lesson['parent_doc_id']}"
    nearest = {"title": "Joints", "heading": "Limits", "url": f"{room}?from=2880&to=2953"}
    other = {"title": "Arms", "heading": "", "url": room, "text": ""}
    closest = [{**nearest, "text": f"Knees bend.\n\n{KNEE}"}, other]
    FakeService(page).answer("I don't know.", [], answered=False, closest=closest)
    page.goto("/")
    ask(page, "How far can the elbow bend?")

    expect(page.locator(".answer-text")).to_have_text("I don't know.")
    helps = page.get_by_role("list", name="Perhaps this helps")
    expect(helps).to_have_text(f"JointsLimitsKnees bend. {KNEE}")
    expect(page.get_by_role("list", name="The closest places")).to_have_text("Arms")
    helps.get_by_role("link", name="Joints").click()
    expect(page.get_by_role("heading", level=1, name="Lesson 2.2")).to_be_visible()
    assert highlighted(page) == KNEE


def test_other_places_that_answer_are_linked_under_the_answer_with_a_line(page: Page) -> None:
    arms = {"title": "Arms", "heading": "Elbows", "text": "It bends - to 2 radians."}
    website = {**arms, "url": "https://example.org/arms#elbows"}
    FakeService(page).answer("Yes. [1]", [source()], further=[website])
    page.goto("/")
    ask(page, "How far?")

    further = page.get_by_role("list", name="Also in")
    expect(further).to_have_text("ArmsElbowsIt bends - to 2 radians.")
    expect(further.get_by_role("link")).to_have_attribute(
        "href", "https://example.org/arms#elbows:~:text=It%20bends%20%2D%20to%202%20radians."
    )


def test_the_statement_that_answers_best_is_marked_in_its_block(page: Page) -> None:
    text = "Say `on` twice. It stops. [1]\n\n- One.\n- It stops. [2]"
    first, second = (
        source(number, char_start=0, char_end=30, statement_start=0, statement_end=10)
        for number in (1, 2)
    )
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "How does it stop?")
    chat.say(text)
    chip = page.locator(".answer-text button.chip").first
    chip.focus()
    chat.cite({**first, "statement_text": "Say `on` twice."})
    marks = page.locator(".answer-text mark")
    expect(marks).to_have_text(["Say ", "on", " twice."])
    chat.cite(
        {**first, "statement_text": "Say `on` twice."}, {**second, "statement_text": "It stops."}
    )
    chat.finish()

    expect(page.locator(".answer-text li mark")).to_have_text("It stops.")
    expect(marks).to_have_count(4)
    expect(page.locator(".answer-text")).to_have_text("Say on twice. It stops. 1One.It stops. 2")


def test_an_answer_that_says_nothing_else_is_not_marked(page: Page) -> None:
    whole = source(char_start=5, char_end=9, statement_start=5, statement_end=9)
    FakeService(page).answer("Yes. [1]", [{**whole, "statement_text": "Yes."}])
    page.goto("/")
    ask(page, "Why?")

    expect(page.locator(".source")).to_have_count(1)
    expect(page.locator(".answer-text mark")).to_have_count(0)


def test_a_rate_limit_counts_down_until_there_is_room(page: Page) -> None:
    page.clock.install()
    service = FakeService(page)
    page.goto("/")
    body = {"error_code": "rate_limited", "message": "Too many", "retry_after": 3}
    service.reply("chat/stream", body, 429)
    ask(page, "Why?")

    expect(page.locator(".problem")).to_contain_text("in 3 s")
    again = page.get_by_role("button", name="Ask again")
    expect(again).to_be_disabled()
    page.clock.run_for(1_000)
    expect(page.locator(".problem")).to_contain_text("in 2 s")
    page.clock.run_for(2_100)
    expect(page.locator(".problem")).to_contain_text("You can ask again now.")
    expect(again).to_be_enabled()


def test_a_service_that_is_away_is_said_to_be_away(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="How far can Wren's knee bend?").wait_for()
    page.context.set_offline(True)
    ask(page, "Why?")
    expect(page.locator(".problem")).to_contain_text("The service does not answer")

    page.context.set_offline(False)
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".problem")).to_have_count(0)
    expect(page.locator(".waiting")).to_have_count(0)


def test_facts_that_matter_are_said_beside_the_answer(page: Page) -> None:
    service = FakeService(page)
    facts = {"fallback": "extractive", "warning": "It timed out.", "history": "unavailable"}
    service.answer("Yes. [1]", [source()], cut_off=True, **facts)
    page.goto("/")
    ask(page, "Why?")

    notes = page.locator(".notes")
    expect(notes).to_contain_text("The time was over")
    expect(notes).to_contain_text("The language model failed, so these are quotes")
    expect(notes).to_contain_text("It timed out.")
    expect(notes).to_contain_text("cannot be saved")


def test_a_chip_shows_the_exact_quote_and_arrow_keys_go_from_one_to_the_next(page: Page) -> None:
    sources = [source(number) for number in (1, 2, 3)]
    FakeService(page).answer("First. [1]\n\nSecond. [2]\n\nThird. [3]", sources)
    page.goto("/")
    ask(page, "How does Wren stop safely?")
    chips = page.locator(".answer-text button.chip")
    expect(page.locator(".source")).to_have_count(3)

    chips.first.focus()
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("Lesson 1 › Part")
    expect(card).to_contain_text("The exact words.")
    page.keyboard.press("ArrowRight")
    expect(chips.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    panel = page.locator("source-panel")
    expect(panel).to_contain_text("Source 2 of")
    page.keyboard.press("ArrowRight")
    expect(panel).to_contain_text("Source 3 of")
    expect(page.locator(".cited.lit")).to_have_attribute("data-sources", "3")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(chips.nth(1)).to_be_focused()


def test_quotes_of_one_source_read_as_prose_with_one_chip_at_their_end(page: Page) -> None:
    text = "First. [1] Second. [1] Third. [2]\n\n- Fourth. [2]\n- Fifth. [2]"
    FakeService(page).answer(text, [source(1), source(2)])
    page.goto("/")
    ask(page, "Why?")

    expect(page.locator(".answer-text p")).to_have_text("First. Second. 1 Third. 2")
    expect(page.locator(".answer-text li")).to_have_text(["Fourth.", "Fifth. 2"])
    page.locator(".answer-text button.chip").first.click()
    expect(page.locator(".cited.lit")).to_have_text(["First.", "Second. 1"])


def test_what_is_in_a_model_s_words_has_a_hollow_chip_and_its_statement_beside_it(
    page: Page,
) -> None:
    chat = FakeChat(page)
    page.goto("/")
    ask(page, "Why?")
    chat.say("Quoted. [1] ")
    chat.say("Said freely. [1] ", cited=True)
    chat.say("Judged. [2]", judged=True)
    chat.cite(source(1), source(2))
    chat.finish()

    chips = page.locator(".answer-text button.chip")
    expect(chips).to_have_count(3)
    expect(page.locator(".answer-text button.chip.hollow")).to_have_count(2)
    chips.nth(1).focus()
    expect(chips.nth(1)).to_have_accessible_name("Source 1: Lesson 1 › Part, in the model's words")
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("In the model's words")
    expect(card).to_contain_text("The exact words.")
    chips.first.focus()
    expect(card).not_to_contain_text("In the model's words")

    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert r"Quoted. [1] Said freely. [1]\* Judged. [2]\*" in copied
    assert r"\* In the model's words" in copied


def test_where_both_are_allowed_a_reader_may_choose_quotes_only(page: Page) -> None:
    chat = FakeChat(page)
    room = page.request.get("/room").json()
    FakeService(page).reply("room", {**room, "model": "m", "grounding": "cited"})
    page.goto("/")

    ask(page, "Why?")
    assert "grounding" not in chat.asked[0]
    chat.finish()
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    page.get_by_role("switch", name="Quotes only").check()
    ask(page, "And why?")
    assert chat.asked[1]["grounding"] == "strict"


def test_where_only_quotes_are_allowed_there_is_nothing_to_choose(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("no language model is set up")).to_be_visible()
    expect(page.get_by_role("switch", name="Quotes only")).to_be_hidden()


def test_a_source_of_another_collection_shows_its_quote_and_its_original(page: Page) -> None:
    service = FakeService(page)
    url = "https://example.org/page#part"
    service.answer("Yes. [1]", [source(source_url=url, chunk_text="Exact words - here.")])
    page.goto("/")
    ask(page, "Why?")
    page.locator(".source").click()

    expect(page.locator("source-panel blockquote")).to_have_text("Exact words - here.")
    original = page.get_by_role("link", name="Open original")
    expect(original).to_have_attribute("href", f"{url}:~:text=Exact%20words%20%2D%20here.")
    expect(original).to_have_attribute("rel", "noopener noreferrer nofollow")


def test_characters_beyond_the_basic_plane_do_not_shift_the_highlight(page: Page) -> None:
    text = "😀😀 Start. The 𝄞 words — here. End. The 𝄞 words — here."
    quote = "The 𝄞 words — here."
    service = FakeService(page)
    place = len(text) - len(quote)
    cited = source(chunk_id="c1", chunk_text=quote, char_start=100 + place)
    service.answer("Yes. [1]", [cited])
    service.reply("context/c1?*", {"chunks": [chunk(text, start=100, end=100 + len(text))]})
    page.goto("/")
    ask(page, "Why?")
    page.locator(".source").click()

    expect(page.locator("source-panel .prose")).to_have_text(text)
    assert highlighted(page) == quote
    start = page.evaluate("() => [...CSS.highlights.get('cited')][0].startOffset")
    assert start > 20


def test_a_citation_into_an_uploaded_pdf_opens_the_page(page: Page, server: str) -> None:
    service = FakeService(page)
    cited = source(chunk_id="c1", document_id="d/1", source_file="manual.pdf", page=3)
    service.answer("Yes. [1]", [cited])
    around = {"chunks": [chunk("The exact words.")], "has_original": True}
    service.reply("context/c1?*", around)
    page.goto("/")
    ask(page, "Why?")
    page.locator(".source").click()

    expect(page.locator("source-panel .facts")).to_contain_text("manual.pdfpage 3")
    expect(page.get_by_role("link", name="Open page 3 of the original")).to_have_attribute(
        "href", f"{server}/lesson/d%2F1/original#page=3"
    )


def test_the_cited_page_is_shown_with_the_cited_words_marked(page: Page) -> None:
    quote = "The battery lasts six hours."
    lines = [(12, "Wren is a robot that walks on two legs.")] * 35
    content = document_files.pdf([[*lines, (12, ""), (12, ""), (12, quote)]])
    box = pdf.convert(content).locations[-1].boxes[0]
    service = FakeService(page)
    cited = source(chunk_id="c1", document_id="d1", source_file="manual.pdf", page=1, boxes=[box])
    service.answer("Six hours. [1]", [cited])
    service.reply("context/c1?*", {"chunks": [chunk(quote)], "has_original": True})
    page.route(
        "**/lesson/d1/original/pages/1",
        lambda route: route.fulfill(content_type="image/png", body=pdf_pages.draw(content, 1)),
    )
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/")
    ask(page, "Why?")
    page.locator(".source").click()

    picture = page.get_by_alt_text("Page 1 of manual.pdf, with the cited words marked")
    expect(picture).to_be_visible()
    expect(page.locator(".sheet rect")).to_be_in_viewport()
    expect(page.locator("source-panel .prose")).to_be_in_viewport()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    shown, mark = picture.bounding_box(), page.locator(".sheet rect").bounding_box()
    assert shown is not None
    assert mark is not None
    assert abs((mark["y"] - shown["y"]) / shown["height"] - box[1]) < 0.01
    assert abs(mark["width"] / shown["width"] - box[2]) < 0.02


def test_a_page_that_cannot_be_drawn_leaves_the_passage(page: Page) -> None:
    service = FakeService(page)
    service.answer("Yes. [1]", [source(chunk_id="c1", document_id="d1", page=3)])
    service.reply("context/c1?*", {"chunks": [chunk("The exact words.")], "has_original": True})
    service.reply("lesson/d1/original/pages/3", {"detail": "It is damaged"}, 404)
    page.goto("/")
    ask(page, "Why?")
    page.locator(".source").click()

    expect(page.locator("source-panel .prose")).to_have_text("The exact words.")
    expect(page.locator(".page-picture")).to_have_count(0)


def test_a_question_can_be_asked_right_to_left(page: Page) -> None:
    service = FakeService(page)
    service.answer("نعم، هذا صحيح. [1]", [source(page_title="الدرس الأول")])
    page.goto("/")
    ask(page, "ما هو الروبوت؟")

    expect(page.locator(".question")).to_have_css("direction", "rtl")
    expect(page.locator(".answer-text p")).to_have_css("direction", "rtl")
    service.answer("- أولا\n- ثانيا", [])
    ask(page, "ما هو؟")
    # The marks of a list stand on the side where its lines begin.
    expect(page.locator(".answer-text ul")).to_have_css("padding-left", "0px")


def test_without_a_book_the_page_says_how_to_get_one(page: Page) -> None:
    room = {
        "book_id": "docs",
        "kept": "docs",
        "books": ["docs"],
        "indexed": False,
        "model": "extractive",
    }
    FakeService(page).reply("room", room)
    page.goto("/")

    expect(page.get_by_role("heading", name="There is no book here yet")).to_be_visible()
    expect(page.get_by_text(re.compile("sourcebook ingest DOCS"))).to_be_visible()
