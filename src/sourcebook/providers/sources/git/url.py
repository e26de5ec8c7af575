"""Parses the URLs of git repositories: an allow-list of kinds, and a form without secrets."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from sourcebook.core.errors import ConfigurationError

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")
_SCP_LIKE = re.compile(r"(?P<user>[\w.+-]+)@(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>(?!//)[^-].*)")
_LOCAL = ("/", "./", "../", "~/")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class GitUrl:
    """A parsed URL. `shown` has no credentials and no local folders."""

    scheme: str
    path: str
    shown: str
    host: str = ""
    port: int | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        return self.scheme == "file"

    @property
    def full_name(self) -> str | None:
        """`owner/name`, as code hosts call it; None where a path means something else."""
        parts = self.path.strip("/").removesuffix(".git").split("/")
        named = len(parts) == 2 and not self.is_local and self.host not in _LOOPBACK
        return "/".join(parts) if named else None

    @property
    def without_credentials(self) -> str:
        """The URL for a client that gets the credentials separately."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def parse_git_url(url: str) -> GitUrl:
    """Parse a URL; ConfigurationError if it is not of an allowed kind.

    Git knows more kinds (`ext::`, `git://`), which run programs or are not encrypted.
    """
    if url.startswith(_LOCAL):
        return _local(str(Path(url).expanduser().absolute()))
    if _UNPRINTABLE.search(url):
        raise _refusal("it holds spaces or control characters")
    if found := _SCP_LIKE.fullmatch(url):
        host, path = found["host"], found["path"]
        return GitUrl("ssh", path, f"{host}:{path}", host, username=found["user"])
    try:
        parsed = urlsplit(url)
        return _parsed(parsed, parsed.hostname or "", parsed.port)
    except ValueError:
        raise _refusal("it cannot be understood") from None


def _parsed(parsed: SplitResult, host: str, port: int | None) -> GitUrl:
    if parsed.query or parsed.fragment:
        raise _refusal("it holds a '?' or a '#'; branch and folder are settings of their own")
    if parsed.scheme == "file" and host in {"", "localhost"} and parsed.path.startswith("/"):
        return _local(unquote(parsed.path))
    if parsed.scheme not in {"https", "http", "ssh"}:
        raise _refusal(f"its kind is {parsed.scheme[:20]!r}")
    if parsed.scheme == "http" and host not in _LOOPBACK:
        raise _refusal("without https anybody on the way could change the book")
    if not host or host.startswith("-") or not parsed.path.strip("/"):
        raise _refusal("a host or a path is missing")
    if parsed.scheme == "ssh" and parsed.password is not None:
        raise _refusal("ssh takes a key, not a password")
    return GitUrl(
        scheme=parsed.scheme,
        path=unquote(parsed.path) if parsed.scheme == "ssh" else parsed.path,
        shown=f"{host}{parsed.path}",
        host=host,
        port=port,
        username=None if parsed.username is None else unquote(parsed.username),
        password=None if parsed.password is None else unquote(parsed.password),
    )


def _local(path: str) -> GitUrl:
    return GitUrl("file", path, Path(path).name)


def _refusal(reason: str) -> ConfigurationError:
    # Never the URL itself: it may hold credentials.
    return ConfigurationError(
        f"The repository's address cannot be used: {reason}. Give an address like"
        " 'https://example.org/book.git', 'ssh://git@example.org/book.git' or '/srv/book.git'"
    )
