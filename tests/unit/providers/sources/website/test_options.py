"""An address says whether it is a website's, and carries the options for reading it."""

import pytest

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.providers.sources.website.options import (
    SiteOptions,
    is_git_address,
    is_web_address,
    read_site,
    write_site,
)


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/me/book",
        "https://www.github.com/me/book/",
        "https://gitlab.com/me/book.git",
        "https://git.example/deep/in/folders/book.git",
        "ssh://git@git.example/book.git",
        "git@git.example:me/book.git",
        "file:///srv/book.git",
    ],
)
def test_the_address_of_a_repository_is_no_website(address: str) -> None:
    assert is_git_address(address)
    assert not is_web_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://docs.example",
        "http://localhost:8080/guide",
        "https://github.com/me/book/wiki",
        "https://me.github.io/book/",
        "HTTPS://docs.example/git/",
    ],
)
def test_any_other_web_address_is_a_website(address: str) -> None:
    assert is_web_address(address)
    assert not is_git_address(address)


@pytest.mark.parametrize("path", ["docs", "./https", "../book", "/srv/book.git", "notes.md"])
def test_a_path_is_neither(path: str) -> None:
    assert not is_web_address(path)
    assert not is_git_address(path)


def test_options_travel_with_the_address() -> None:
    chosen = {"include": ["guide", "**/api & more"], "selector": "main > .text", "max_pages": 50}

    text = write_site("https://docs.example/#part", {**chosen, "discovery": None, "pdfs": False})

    url, options = read_site(text, SiteOptions(max_depth=3))
    assert url == "https://docs.example/"
    assert options == SiteOptions(
        include=("guide", "**/api & more"),
        selector="main > .text",
        max_pages=50,
        max_depth=3,
        pdfs=False,
    )


def test_the_anchor_of_a_page_is_no_option() -> None:
    assert read_site("https://docs.example/a#part", SiteOptions()) == (
        "https://docs.example/a",
        SiteOptions(),
    )


@pytest.mark.parametrize(
    ("fragment", "reason"),
    [
        ("colour=red", "'colour' is not known"),
        ("max_pages=many", "many"),
        ("requests_per_s=9", "from 1 to 8"),
        ("discovery=guess", "'guess' is not known"),
        ("include=../up", "without '.' or '..'"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(fragment: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        read_site(f"https://docs.example/#{fragment}", SiteOptions())


def test_options_of_the_settings_are_checked_too() -> None:
    with pytest.raises(ConfigurationError, match="from 1 to 50000"):
        SiteOptions(max_pages=0)
