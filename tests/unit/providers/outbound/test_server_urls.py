"""The URL of a server is checked in one way; what a validator says never repeats it."""

import pytest

from sourcebook.providers.outbound.server_urls import (
    LENIENT,
    UrlFlaw,
    check_server_url,
    find_flaw,
    ollama_url,
)


@pytest.mark.parametrize(
    ("url", "flaw"),
    [
        ("https://host", None),
        ("http://[::1]:8080/v1/", None),
        ("http://[::1", UrlFlaw.MALFORMED),
        ("http://host:99999", UrlFlaw.MALFORMED),
        ("http://host/a b", UrlFlaw.UNPRINTABLE),
        ("ftp://host", UrlFlaw.SCHEME),
        ("http://user@host", UrlFlaw.CREDENTIALS),
        ("http:///path", UrlFlaw.HOST),
        ("http://host:0", UrlFlaw.PORT),
        ("http://host/?a", UrlFlaw.QUERY),
        ("http://host/#a", UrlFlaw.QUERY),
    ],
)
def test_the_first_flaw_is_found(url: str, flaw: UrlFlaw | None) -> None:
    assert find_flaw(url) is flaw


def test_what_a_client_copes_with_can_be_ignored() -> None:
    assert find_flaw("http://host:0/a b", LENIENT) is None


def test_a_url_is_taken_without_space_around_it_and_slashes_at_its_end() -> None:
    assert check_server_url(" https://host/v1// ", form="https://host/v1") == "https://host/v1"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://[canary", "is not a URL; use the form https://host"),
        ("canary", "must begin with http:// or https:// and name a host"),
        ("http://canary@host", "must hold no user or password; a key goes into api_key"),
        ("http://host?canary", "must hold no"),
    ],
)
def test_a_validator_says_what_is_wrong_and_not_what_it_was_given(url: str, says: str) -> None:
    with pytest.raises(ValueError, match="^" + says.replace("?", r"\?")) as caught:
        check_server_url(url, form="https://host")

    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:11434"),
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("[::1]", "http://[::1]:11434"),
        ("https://ollama.example/v1/", "https://ollama.example"),
    ],
)
def test_ollamas_variable_may_leave_out_scheme_and_port(host: str, url: str) -> None:
    assert ollama_url(host) == url
