"""Where a language model is reached. Imports no SDK: without a model there is no need for one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.outbound.server_urls import OLLAMA_PORT, UrlFlaw, find_flaw

GEMINI_HOST = "generativelanguage.googleapis.com"
GEMINI_URL = f"https://{GEMINI_HOST}/v1beta/openai/"
GEMINI_MODEL = "gemini-2.5-flash"
OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1/"
OPENAI_MODEL = "gpt-5.4-mini"
# Their models cost money, some of them a lot.
BILLED_HOSTS = frozenset({GEMINI_HOST, OPENAI_HOST})
OLLAMA_URL = f"http://127.0.0.1:{OLLAMA_PORT}"

_KEY = re.compile(r"[\x21-\x7e]+")
_UNREACHABLE = "it has no host, or no port that can be reached"
_FLAWS: Mapping[UrlFlaw, str] = {
    UrlFlaw.UNPRINTABLE: "it holds spaces or control characters",
    UrlFlaw.MALFORMED: "it cannot be understood",
    UrlFlaw.SCHEME: "it must begin with http:// or https://",
    UrlFlaw.CREDENTIALS: "it holds credentials; the key is a setting of its own",
    UrlFlaw.HOST: _UNREACHABLE,
    UrlFlaw.PORT: _UNREACHABLE,
    UrlFlaw.QUERY: "it holds a '?' or a '#'",
}


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
        """True for OpenAI itself, whose API has moved on from what other servers copy."""
        return self.host == OPENAI_HOST


def parse_base_url(url: str, setting: str) -> str:
    """Return the base URL with a slash at its end; ConfigurationError names the setting."""
    flaw = find_flaw(url)
    if flaw is not None:
        raise ConfigurationError(
            f"{setting} is no base URL of a language model: {_FLAWS[flaw]}."
            " Use the form https://host/v1"
        )
    return url.rstrip("/") + "/"


def parse_key(key: str | None, setting: str) -> str | None:
    """Return a key that fits into a header; ConfigurationError names the setting, not the key."""
    if key is None or not key.strip():
        return None
    if not _KEY.fullmatch(key.strip()):
        raise ConfigurationError(
            f"{setting} holds spaces or characters that no key has: copy it once more"
        )
    return key.strip()
