"""Where a language model is reached. Imports no SDK: without a model there is no need for one."""

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from sourcebook.core.errors import ConfigurationError

OPENAI_HOST = "api.openai.com"
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model of an OpenAI-compatible server. `base_url` ends in a slash."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)

    @property
    def host(self) -> str:
        """The host, which may be shown."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_openai(self) -> bool:
        """Tell whether it is OpenAI itself, whose dialect has moved on from what others speak."""
        return self.host == OPENAI_HOST


def parse_base_url(url: str, setting: str) -> str:
    """A base URL that we would send questions to; ConfigurationError names the setting."""
    if _UNPRINTABLE.search(url):
        raise _refusal(setting, "it holds spaces or control characters")
    try:
        parsed = urlsplit(url)
        _check(parsed, parsed.port, setting)
    except ValueError:
        raise _refusal(setting, "it cannot be understood") from None
    return url.rstrip("/") + "/"


def parse_key(key: str | None, setting: str) -> str | None:
    """A key that fits into a header; ConfigurationError names the setting, not the key."""
    if key is None or not key.strip():
        return None
    if not _KEY.fullmatch(key.strip()):
        raise ConfigurationError(
            f"{setting} holds spaces or characters that no key has: copy it once more"
        )
    return key.strip()


def _check(parsed: SplitResult, port: int | None, setting: str) -> None:
    if parsed.scheme not in {"http", "https"}:
        raise _refusal(setting, "it must begin with http:// or https://")
    if "@" in parsed.netloc:
        raise _refusal(setting, "it holds credentials; the key is a setting of its own")
    if not parsed.hostname or port == 0:
        raise _refusal(setting, "it has no host, or no port that can be reached")
    if parsed.query or parsed.fragment:
        raise _refusal(setting, "it holds a '?' or a '#'")


def _refusal(setting: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"{setting} is no base URL of a language model: {reason}. Use the form https://host/v1"
    )
