from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.lesson_links import lesson_path, lesson_url

BASE = "https://example.org/robolearn"
LESSON = "module-1-ros2/chapter-4-first-code/02-writing-publisher.md"


@pytest.mark.spec("002 FR-015")
def test_a_lesson_has_the_address_that_robolearns_client_expects() -> None:
    path = lesson_path(LESSON, "lesson-4-2-writing-publisher", None)
    assert lesson_url("https://mjunaidca.github.io/robolearn", path, None) == (
        "https://mjunaidca.github.io/robolearn/docs/module-1-ros2/chapter-4-first-code/"
        "lesson-4-2-writing-publisher"
    )


@pytest.mark.parametrize(
    ("source_file", "doc_id", "slug", "expected"),
    [
        ("a/02-topic.md", None, None, "a/02-topic"),
        ("a/02-topic.mdx", None, None, "a/02-topic"),
        ("a/02-topic.Markdown", None, None, "a/02-topic"),
        ("a/_index.md", None, None, "a"),
        ("a/02-topic.md", "topic", None, "a/topic"),
        ("intro.md", None, None, "intro"),
        ("a/README.md", None, None, "a"),
        ("a/readme.MD", "overview", None, "a"),
        ("a/index.mdx", None, None, "a"),
        ("a/b/B.md", None, None, "a/b"),
        ("README.md", None, None, ""),
        ("a/index.md", None, "start", "a/start"),
        ("a/b.md", "c", "/", ""),
        ("a/b.md", "c", "/top/d", "top/d"),
        ("a/b.md", "c", "./d", "a/d"),
        ("a/b.md", "c", "../d/", "d"),
        ("a/b.md", "c", "../../../d", "d"),
        ("a/b.md", "c", "", "a/c"),
        ("a/b.md", "..", None, "a/b"),
        ("a/b.md", "x/y", None, "a/x%2Fy"),
        ("a/b c.md", None, None, "a/b%20c"),
        ("a/ü?#.md", None, None, "a/%C3%BC%3F%23"),
        ("a/100%25.md", None, None, "a/100%2525"),
        ("a/b.md", None, "/caf%C3%A9", "caf%C3%A9"),
        ("a/b.md", None, "/café", "caf%C3%A9"),
    ],
)
def test_paths_follow_docusaurus(
    source_file: str, doc_id: str | None, slug: str | None, expected: str
) -> None:
    assert lesson_path(source_file, doc_id, slug) == expected


@pytest.mark.parametrize(
    "slug",
    [
        "//evil.example",
        "///evil.example/x",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/javascript:alert(1)",
        "https://evil.example/",
        "/../../evil",
        "%2e%2e/%2e%2e/evil",
        "/%2f%2fevil.example",
        "..%5c..%5cevil",
        "\t//evil.example",
        "?next=//evil.example",
        "#x",
        "@evil.example",
    ],
)
@pytest.mark.parametrize("base", [BASE, None])
def test_a_slug_never_leaves_the_books_own_site(slug: str, base: str | None) -> None:
    url = lesson_url(base, lesson_path("a/b.md", None, slug), None)
    assert_below_docs(url, base)


@given(slug=st.text(), doc_id=st.text(), anchor=st.text())
def test_no_front_matter_leaves_the_books_own_site(slug: str, doc_id: str, anchor: str) -> None:
    for chosen in (slug, None):
        assert_below_docs(lesson_url(BASE, lesson_path("a/b.md", doc_id, chosen), anchor), BASE)


def assert_below_docs(url: str, base: str | None) -> None:
    assert url.startswith(f"{base or ''}/docs")
    assert url.isascii()
    assert url.isprintable()
    resolved = urlsplit(urljoin("https://reader.example/page", url))
    assert resolved.hostname == ("example.org" if base else "reader.example")
    prefix = urlsplit(base or "").path + "/docs"
    assert resolved.path == prefix or resolved.path.startswith(prefix + "/")
    assert not resolved.query


def test_an_address_has_one_slash_between_its_parts_and_an_anchor_at_its_end() -> None:
    assert lesson_url(BASE + "/", "a/b", "the-publisher") == f"{BASE}/docs/a/b#the-publisher"
    assert lesson_url(BASE, "", None) == f"{BASE}/docs"
    assert lesson_url(None, "a/b", "") == "/docs/a/b"
    assert lesson_url("", "a/b", "über uns") == "/docs/a/b#%C3%BCber%20uns"


@pytest.mark.parametrize(
    "base",
    [
        "javascript:alert(1)",
        "ftp://example.org",
        "//example.org",
        "example.org",
        "https://",
        "https://example.org/?x=",
        "https://example.org/#x",
        "https://example.org\\evil",
        " https://example.org",
        "https://exam\nple.org",
        "https://[::1",
    ],
)
def test_a_base_that_is_no_website_is_refused(base: str) -> None:
    with pytest.raises(ConfigurationError, match="https://"):
        lesson_url(base, "a/b", None)
