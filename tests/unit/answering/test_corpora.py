"""What a question may see of each corpus, and how a citation names it."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.corpora import NOTHING, AdoptedCorpus, BookCorpus, PostedCorpus
from sourcebook.core.answers import Question, SourceField
from sourcebook.core.documents import Chunk
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.search.book_query import BookScope
from tests.fuzz.profile import trying

BASE = "https://example.org/book"
LESSON: Metadata = {
    "book_id": "robots",
    "hardware_tier": 2,
    "lesson_path": "module-1/gr%C3%B6%C3%9Fe",
    "anchor": "quality-of-service",
    "source_file": "module-1/größe.md",
    "lesson_title": "Größe",
    "section_title": "Quality of service",
    "section_starts": [0],
    "section_titles": ["Quality of service"],
    "section_anchors": ["quality-of-service"],
}
POSTED: Metadata = {
    "source": "wiki",
    "path": "wiki/robots.md",
    "title": "Robots",
    "section_heading": "Arms",
}


def chunk(about: Metadata, text: str = "Robots move.") -> Chunk:
    return Chunk("chunk", "document", 0, text, about)


def sees(shelf: BookCorpus | PostedCorpus, about: Metadata, **sources: str | list[str]) -> bool:
    """Tell whether a question that is narrowed to these sources may see it."""
    wanted = {
        name: tuple(value) if isinstance(value, list) else (value,)
        for name, value in sources.items()
    }
    question = Question("?", sources=wanted)  # type: ignore[arg-type]
    return shelf.scope(question).matches(about)


def book(base: str | None = None) -> BookCorpus:
    return BookCorpus("book", "robots", base)


def test_a_page_of_a_website_is_cited_and_found_by_its_own_address() -> None:
    page = {**LESSON, "source_url": "https://docs.example/guide?v=2"}
    address = book(BASE).source(chunk(page)).url

    assert address == "https://docs.example/guide?v=2#quality-of-service"
    assert sees(book(BASE), page, source_url=address)
    assert sees(book(BASE), page, source_url="https://docs.example/guide?v=2")
    assert not sees(book(BASE), page, source_url="https://docs.example/guide?v=2#other")
    assert not sees(book(BASE), page, source_url="https://docs.example/guide")


@pytest.mark.parametrize("address", ["javascript:alert(1)", "ftp://docs.example/", 7])
def test_what_is_no_web_address_is_no_link(address: JsonValue) -> None:
    posted = {**LESSON, "source_url": address}

    assert book(BASE).source(chunk(posted)).url.startswith(BASE)


@pytest.mark.spec("004 US4.3")
@pytest.mark.parametrize("base", [BASE, BASE + "/"])
def test_a_lesson_is_found_by_the_address_that_its_citation_shows(base: str | None) -> None:
    shelf = book(base)
    address = shelf.source(chunk(LESSON)).url
    page, _, anchor = address.partition("#")

    assert anchor == "quality-of-service"
    assert sees(shelf, LESSON, source_url=address)
    assert sees(shelf, LESSON, source_url=page)
    assert sees(shelf, LESSON, source_url=page + "/")
    assert not sees(shelf, LESSON, source_url=page + "#other")
    assert not sees(shelf, LESSON, source_url=page + "-2")
    assert not sees(shelf, LESSON, source_url="https://elsewhere.org/docs/module-1")


@pytest.mark.spec("004 US4.3")
def test_without_a_website_a_lesson_is_found_by_its_address_in_the_reading_room() -> None:
    about = {**LESSON, "parent_doc_id": "document"}
    address = book().source(chunk(about)).url

    assert address == "/?book=robots#/read/document?section=quality-of-service"
    quoted = f"https://docs.example{address}&from=3&to=9"
    assert sees(book(), about, source_url=[address, quoted])
    assert sees(book(), about, source_url=quoted)
    assert sees(book(), about, source_url="/#/read/document?from=3&to=9")
    assert not sees(book(), about, source_url="/#/read/document?section=other")
    assert not sees(book(), about, source_url="/#/read/another")


SECTIONS: Metadata = {
    **LESSON,
    "section_starts": [0, 40],
    "section_titles": ["Quality of service", "Timers"],
    "section_anchors": ["quality-of-service", "timers"],
}


def test_every_section_of_a_chunk_has_its_own_address() -> None:
    source = book(BASE).source(chunk(SECTIONS))

    assert source.section_at(39).heading == "Quality of service"
    assert source.section_at(40).heading == "Timers"
    assert source.section_at(90).url == source.url.replace("quality-of-service", "timers")


@pytest.mark.spec("004 US4.3")
def test_a_chunk_is_found_by_every_section_that_it_has() -> None:
    address = book(BASE).source(chunk(SECTIONS)).section_at(40).url

    assert sees(book(BASE), SECTIONS, source_url=address)
    assert sees(book(), SECTIONS, section_heading="Timers")
    assert sees(book(), SECTIONS, section_heading="Quality of service")
    assert not sees(book(), SECTIONS, section_heading="Arms")


@pytest.mark.parametrize("base", ["", BASE])
def test_letters_in_an_address_may_be_encoded_or_plain(base: str) -> None:
    assert sees(book(base), LESSON, source_url=f"{base}/docs/module-1/größe#quality-of-service")
    assert sees(book(base), LESSON, source_url=f"{base}/docs/module-1/gr%c3%b6%c3%9fe")
    assert not sees(book(base), LESSON, source_url=f"{base}/docs/module-1/gro%C3%9Fe")


def test_a_lesson_is_found_by_its_file() -> None:
    assert sees(book(), LESSON, source_url="module-1/größe.md")
    assert not sees(book(), LESSON, source_url="größe.md")


def test_the_page_of_the_docs_root_has_an_empty_path() -> None:
    root = {**LESSON, "lesson_path": ""}

    assert sees(book(BASE), root, source_url=f"{BASE}/docs")
    assert not sees(book(BASE), LESSON, source_url=f"{BASE}/docs")


@pytest.mark.spec("004 FR-008")
@pytest.mark.parametrize(
    ("shelf", "about", "title", "heading"),
    [
        (book(), LESSON, "Größe", "Quality of service"),
        (PostedCorpus("posted"), POSTED, "Robots", "Arms"),
    ],
)
def test_values_of_a_field_are_alternatives_and_fields_hold_together(
    shelf: BookCorpus | PostedCorpus, about: Metadata, title: str, heading: str
) -> None:
    assert sees(shelf, about)
    assert sees(shelf, about, page_title=title)
    assert sees(shelf, about, page_title=["Other", title])
    assert sees(shelf, about, page_title=title, section_heading=["x", heading])
    assert not sees(shelf, about, page_title="Other")
    assert not sees(shelf, about, page_title=title, section_heading="x")
    assert not sees(shelf, about, page_title=title.lower())
    assert not sees(shelf, about, page_title=[])
    assert not sees(shelf, about, source_url=[])


@pytest.mark.parametrize(
    "bound",
    [{"book_ids": ("robots",)}, {"hardware_tier": 4}, {"book_ids": ("x",), "hardware_tier": 1}],
)
def test_posted_documents_are_in_no_book_and_on_no_tier(bound: Mapping[str, str | int]) -> None:
    claiming = {**POSTED, "book_id": "robots", "hardware_tier": 1}
    scope = PostedCorpus("posted").scope(Question("?", **bound))  # type: ignore[arg-type]

    assert not scope.matches(POSTED)
    assert not scope.matches(claiming)


HARMFUL = (
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "https:javascript",
)


@pytest.mark.parametrize("path", HARMFUL)
def test_a_path_that_browsers_would_run_is_only_a_path(path: str) -> None:
    posted, lesson = PostedCorpus("posted"), book()

    shown = posted.source(chunk({"path": path})).url

    assert shown == f"./{path}"
    assert lesson.source(chunk({"source_file": path})).url == f"./{path}"
    assert sees(posted, {"path": path}, source_url=shown)
    assert sees(lesson, {"book_id": "robots", "source_file": path}, source_url=shown)


@pytest.mark.parametrize(
    "path", ["wiki/robots.md", "/a:b", "https://example.org/a", "HTTP://x", "a b", ""]
)
def test_other_paths_are_shown_as_they_are(path: str) -> None:
    assert PostedCorpus("posted").source(chunk({"path": path})).url == path


@pytest.mark.spec("004 US1.1")
def test_a_citation_of_a_lesson_opens_at_its_heading() -> None:
    source = book(BASE).source(chunk(LESSON))

    assert source.url == f"{BASE}/docs/module-1/gr%C3%B6%C3%9Fe#quality-of-service"
    assert (source.title, source.heading) == ("Größe", "Quality of service")
    assert (source.file, source.chunk_id) == ("module-1/größe.md", "chunk")


def test_a_citation_of_a_posted_document_has_the_first_heading_of_its_chunk() -> None:
    source = PostedCorpus("posted").source(chunk(POSTED, "Text.\n\n## Arms\n\n## Legs"))

    assert (source.title, source.heading, source.file) == ("Robots", "Arms", "wiki/robots.md")


ODD: st.SearchStrategy[JsonValue] = st.sampled_from(
    [None, True, 1, 2.5, "", [], ["robots"], {"a": 1}, ["Größe"], "javascript:x"]
)


@trying(short=200, long=10_000)
@given(st.dictionaries(st.sampled_from([*LESSON, *POSTED]), ODD))
def test_metadata_of_any_type_can_be_named(about: Metadata) -> None:
    for source in (book(BASE).source(chunk(about)), PostedCorpus("posted").source(chunk(about))):
        assert isinstance(source.title, str)
        assert isinstance(source.heading, str)
        assert not source.url.lower().startswith("javascript:")


PATHS = ("a", "a/b", "a%20b", "%C3%A4", "")
ANCHORS = ("x", "y z", "ä")
TITLES = ("One", "Two", "")
BOOKS = ("robots", "rovers")
FIELDS: dict[SourceField, Sequence[str]] = {
    "page_title": TITLES,
    "section_heading": TITLES,
    "source_url": [
        *(f"/docs/{path}" for path in PATHS),
        *(f"/docs/{path}#{quote(anchor)}" for path in PATHS for anchor in ANCHORS),
        *("a.md", "b.md", "/docsx", "elsewhere", ""),
    ],
}


def mixed(values: Sequence[JsonValue]) -> st.SearchStrategy[JsonValue]:
    return st.one_of(st.sampled_from(values), ODD)


METADATA = st.fixed_dictionaries(
    {},
    optional={
        "book_id": mixed(BOOKS),
        "hardware_tier": mixed((0, 1, 2, 3, 4, 1.5, "1")),
        "lesson_path": mixed(PATHS),
        "anchor": mixed(ANCHORS),
        "source_file": mixed(("a.md", "b.md")),
        "lesson_title": mixed(TITLES),
        "section_title": mixed(TITLES),
        "path": mixed(FIELDS["source_url"]),
        "title": mixed(TITLES),
        "section_heading": mixed(TITLES),
    },
)
QUESTIONS = st.builds(
    Question,
    text=st.just("?"),
    book_ids=st.one_of(st.none(), st.lists(st.sampled_from(BOOKS), min_size=1).map(tuple)),
    hardware_tier=st.one_of(st.none(), st.integers(1, 4)),
    sources=st.fixed_dictionaries(
        {},
        optional={
            name: st.lists(st.sampled_from(values), max_size=3).map(tuple)
            for name, values in FIELDS.items()
        },
    ),
)


def values_of(about: Metadata, field: str) -> list[str]:
    value = about.get(field)
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def is_at(about: Metadata, url: str) -> bool:
    """Tell whether a lesson stands at an address, by writing down all that it could be."""
    addresses = set(values_of(about, "source_file"))
    for path in values_of(about, "lesson_path"):
        page = "/docs/" + path if path else "/docs"
        addresses |= {page, page + "/"}
        addresses |= {f"{page}#{quote(one)}" for one in values_of(about, "anchor")}
        addresses |= {f"{page}/#{quote(one)}" for one in values_of(about, "anchor")}
    return url in addresses


@pytest.mark.spec("004 US4.3")
@trying(short=500, long=30_000)
@given(QUESTIONS, METADATA)
def test_nothing_of_a_book_is_seen_that_was_not_asked_for_or_may_not_be_seen(
    question: Question, about: Metadata
) -> None:
    within = BookScope(question.book_ids or ("robots",), question.hardware_tier).includes(about)
    asked = all(
        any(is_at(about, url) for url in wanted)
        if name == "source_url"
        else bool(
            set(wanted)
            & set(values_of(about, {"page_title": "lesson_title"}.get(name, "section_title")))
        )
        for name, wanted in question.sources.items()
    )

    assert book().scope(question).matches(about) == (within and asked)


@trying(short=500, long=30_000)
@given(QUESTIONS, METADATA)
def test_no_posted_document_is_seen_that_was_not_asked_for_or_may_not_be_seen(
    question: Question, about: Metadata
) -> None:
    fields = {"source_url": "path", "page_title": "title", "section_heading": "section_heading"}
    bound = question.book_ids is not None or question.hardware_tier is not None
    asked = all(
        set(wanted) & set(values_of(about, fields[name]))
        for name, wanted in question.sources.items()
    )

    assert PostedCorpus("posted").scope(question).matches(about) == (not bound and asked)


ADOPTED = AdoptedCorpus("rag_embedding")
PAGE: Metadata = {
    "source_url": "https://example.org/docs/arms",
    "page_title": "Arms",
    "section_heading": "Joints",
    "chunk_text": "A joint turns.",
}


def adopted_chunk(about: Metadata, text: str = "A joint turns.") -> Chunk:
    return Chunk("point-1", "page-1", 0, text, about)


@pytest.mark.spec("004 US4.3")
@pytest.mark.parametrize(
    ("sources", "seen"),
    [
        ({}, True),
        ({"source_url": ("https://example.org/docs/arms",)}, True),
        ({"source_url": ("https://example.org/docs/legs",)}, False),
        ({"page_title": ("Legs", "Arms")}, True),
        ({"page_title": ("Arms",), "section_heading": ("Joints",)}, True),
        ({"page_title": ("Arms",), "section_heading": ("Motors",)}, False),
    ],
)
def test_a_question_is_narrowed_to_the_sources_it_names(
    sources: dict[str, tuple[str, ...]], seen: bool
) -> None:
    question = Question("?", sources=sources)  # type: ignore[arg-type]

    assert ADOPTED.scope(question).matches(PAGE) is seen


@pytest.mark.parametrize(
    "question", [Question("?", book_ids=("robots",)), Question("?", hardware_tier=4)]
)
def test_what_others_keep_is_in_no_book_and_on_no_tier(question: Question) -> None:
    assert ADOPTED.scope(question) == NOTHING


def test_a_citation_names_the_page_and_the_heading() -> None:
    source = ADOPTED.source(adopted_chunk(PAGE))

    assert (source.url, source.title, source.heading) == (
        "https://example.org/docs/arms",
        "Arms",
        "Joints",
    )
    assert (source.chunk_id, source.document_id, source.file) == ("point-1", "page-1", None)


def test_without_metadata_the_first_heading_and_the_address_have_to_do() -> None:
    source = ADOPTED.source(adopted_chunk({"source_url": "/arms"}, "# Joints\n\nA joint turns."))

    assert (source.title, source.heading) == ("/arms", "Joints")


@pytest.mark.parametrize("about", [{}, {"source_url": 5, "page_title": ["a"], "x": None}])
def test_adopted_metadata_of_any_type_can_be_named(about: Metadata) -> None:
    source = ADOPTED.source(adopted_chunk(about))

    assert (source.url, source.title, source.heading) == ("", "", "")


def test_an_address_that_browsers_would_run_is_only_a_path() -> None:
    url = "java\tscript:alert(1)"

    shown = ADOPTED.source(adopted_chunk({"source_url": url})).url

    assert shown == "./" + url
    question = Question("?", sources={"source_url": (shown,)})
    assert ADOPTED.scope(question).matches({"source_url": url})
