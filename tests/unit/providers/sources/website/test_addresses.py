"""One page has one address, and what lies in the site is decided by it."""

import pytest

from sourcebook.providers.sources.website.addresses import (
    Scope,
    canonical_address,
    is_same_site,
    page_path,
    twin_key,
)

BASE = "https://docs.example/guide/start"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("HTTPS://Docs.Example:443/a/../b#part", "https://docs.example/b"),
        ("/a?b=2&a=1&utm_source=mail&gclid=x", "https://docs.example/a?a=1&b=2"),
        ("next", "https://docs.example/guide/next"),
        ("//other.example", "https://other.example/"),
        ("http://docs.example:80/é", "http://docs.example/%C3%A9"),
        ("https://docs.example:8443/", "https://docs.example:8443/"),
        ("mailto:someone@docs.example", None),
        ("javascript:alert(1)", None),
        ("https://user:password@docs.example/", None),
        ("https://docs.example:99999/", None),
        ("https://[::1", None),
        ("/" + "long" * 1_000, None),
    ],
)
def test_an_address_has_one_form(given: str, expected: str | None) -> None:
    assert canonical_address(given, BASE) == expected


def test_a_scope_is_the_folder_of_the_first_page() -> None:
    scope = Scope.around("https://docs.example/guide")

    inside = ["https://docs.example/guide", "https://docs.example/guide/", BASE]
    outside = [
        "https://docs.example/guidelines",
        "https://docs.example/",
        "http://docs.example/guide/",
        "https://docs.example.evil/guide/",
        "https://docs.example@evil/guide/",
    ]
    assert all(map(scope.holds, inside))
    assert not any(map(scope.holds, outside))
    assert Scope.around("https://docs.example/guide/intro.html").holds(BASE)


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://docs.example/", "index.html"),
        ("https://docs.example/guide/", "guide/index.html"),
        ("https://docs.example/guide/start?page=2", "guide/start?page=2"),
        ("https://docs.example/%C3%A9t%C3%A9", "été"),
        ("https://docs.example/a%2Fb/..%2F..%2Fetc", "a%2Fb/..%2F..%2Fetc"),
        ("https://docs.example/a%00%E2%80%AEb", "a%00%E2%80%AEb"),
    ],
)
def test_the_path_of_a_page_is_readable_and_never_misleads(address: str, path: str) -> None:
    assert page_path(address) == path


def test_a_page_and_its_markdown_are_recognised_as_one() -> None:
    twins = ["/a", "/a/", "/a.html", "/a.md", "/a/index.md", "/a/index.html.md"]

    assert len({twin_key(f"https://docs.example{path}") for path in twins}) == 1
    assert twin_key("https://docs.example/b") != twin_key("https://docs.example/a")


def test_the_first_page_may_move_to_https_and_www_and_nowhere_else() -> None:
    assert is_same_site("http://docs.example/", "https://www.docs.example/en/")
    assert not is_same_site("https://docs.example/", "http://docs.example/")
    assert not is_same_site("https://docs.example/", "https://docs.example:8443/")
    assert not is_same_site("https://docs.example/", "https://example/")
