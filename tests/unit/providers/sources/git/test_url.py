from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.sources.git.url import parse_git_url


@pytest.mark.parametrize(
    ("url", "scheme", "path", "shown"),
    [
        ("https://github.com/a/b.git", "https", "/a/b.git", "github.com/a/b.git"),
        ("https://me:key@host:8443/b", "https", "/b", "host/b"),
        ("http://localhost:3000/b", "http", "/b", "localhost/b"),
        ("ssh://git@host:2222/a/b.git", "ssh", "/a/b.git", "host/a/b.git"),
        ("git@github.com:a/b.git", "ssh", "a/b.git", "github.com:a/b.git"),
        ("git@github.com:/a/b.git", "ssh", "/a/b.git", "github.com:/a/b.git"),
        ("file:///srv/my%20book.git", "file", "/srv/my book.git", "my book.git"),
        ("/srv/book.git", "file", "/srv/book.git", "book.git"),
        ("~/book.git", "file", str(Path.home() / "book.git"), "book.git"),
    ],
)
def test_these_kinds_of_addresses_are_fetched_from(
    url: str, scheme: str, path: str, shown: str
) -> None:
    parsed = parse_git_url(url)
    assert (parsed.scheme, parsed.path, parsed.shown) == (scheme, path, shown)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/acme/book.git", "acme/book"),
        ("https://me:key@github.com/acme/book/", "acme/book"),
        ("git@github.com:acme/book.git", "acme/book"),
        ("ssh://git@host:2222/acme/book.git", "acme/book"),
        # What another host or a folder calls so may be a mirror of anything.
        ("https://gitlab.com/acme/docs/book.git", None),
        ("http://localhost:3000/acme/book", None),
        ("/srv/book.git", None),
    ],
)
def test_the_name_of_a_hosted_repository_is_known(url: str, name: str | None) -> None:
    assert parse_git_url(url).full_name == name


def test_a_relative_folder_is_the_same_one_later_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_git_url("./book.git").path == str(tmp_path / "book.git")


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% /tmp/x",
        "ext::sh",
        "fd::3",
        "git://host/b.git",
        "http://host/b.git",
        "ftp://host/b.git",
        "rsync://host/b",
        "file://host/b.git",
        "file:book.git",
        "https://host",
        "https:///b.git",
        "https://host/b.git?x=1",
        "https://host/b.git#main",
        "https://host:port/b.git",
        "https://[::1/b.git",
        "https://host/a b",
        "https://host/a\nb",
        "ssh://-oProxyCommand=x/b.git",
        "ssh://me:key@host/b.git",
        "git@-oProxyCommand=x:b.git",
        "git@host:--upload-pack=x",
        "git@host://x",
        "github.com/a/b",
        "book.git",
        "",
    ],
)
def test_every_other_kind_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="Give an address like"):
        parse_git_url(url)


@pytest.mark.parametrize(
    "url",
    ["https://me:hunter2@host/b#x", "git://me:hunter2@host/b", "https://hunter2@host", "hunter2"],
)
def test_a_refusal_never_repeats_the_address(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_git_url(url)
    assert "hunter2" not in caught.value.message


def test_credentials_are_decoded_and_kept_apart() -> None:
    url = parse_git_url("https://me%40work:hunter%3A2@[::1]:444/b.git")
    assert (url.username, url.password) == ("me@work", "hunter:2")
    assert url.without_credentials == "https://[::1]:444/b.git"
    assert "hunter" not in repr(url)
