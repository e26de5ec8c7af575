"""A base URL is http or https and holds no credentials; a key fits into a header."""

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.language_models.endpoint import Endpoint, parse_base_url, parse_key


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/"),
        ("https://models.example/v1//", "https://models.example/v1/"),
        ("http://[::1]:8080", "http://[::1]:8080/"),
    ],
)
def test_a_base_url_ends_in_one_slash(url: str, parsed: str) -> None:
    assert parse_base_url(url, "X") == parsed


@pytest.mark.parametrize(
    "url",
    [
        "",
        "models.example/v1",
        "file:///etc/passwd",
        "ftp://models.example",
        "https://",
        "https:///v1",
        "https://user:canary@models.example/v1",
        "https://canary@models.example/v1",
        "https://models.example/v1?key=canary",
        "https://models.example/v1#canary",
        "https://models.example:99999/v1",
        "https://models.example:0/v1",
        "https://models.example:port/v1",
        "https://models.example/v1\nX-Canary: canary",
        "https://models .example",
        "http://[::1/v1",
    ],
)
def test_other_addresses_are_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ConfigurationError, match="THE_SETTING is no base URL") as caught:
        parse_base_url(url, "THE_SETTING")

    assert "canary" not in caught.value.message
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("key", "parsed"), [(None, None), ("", None), (" \n", None), (" sk-1\n", "sk-1")]
)
def test_a_key_is_taken_without_the_space_around_it(key: str | None, parsed: str | None) -> None:
    assert parse_key(key, "X") == parsed


@pytest.mark.parametrize("key", ["canary key", "canary\r\nX: y", "canary\x00", "canäry"])
def test_a_key_that_is_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="THE_SETTING") as caught:
        parse_key(key, "THE_SETTING")

    assert key not in caught.value.message


def test_a_key_is_not_shown() -> None:
    assert "canary" not in repr(Endpoint("https://models.example/", "m", "canary"))
