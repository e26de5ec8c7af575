"""Explains failures of a language model, and which of them a retry may cure.

The server's own words are not repeated: they may hold a key, or anything else.
"""

import re

import httpx2
import openai

from sourcebook.core.errors import (
    AgentRefused,
    AgentTimeout,
    AgentUnavailable,
    InvalidInput,
    NotFound,
    SourcebookError,
)
from sourcebook.providers.outbound.json_server import (
    MAX_ERROR_BYTES,
    MAX_RETRY_AFTER_S,
    parse_retry_after,
)

_BUSY = frozenset({429, 500, 502, 503, 504})
# Google's RetryInfo, which it sends in the body only.
_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"(?P<seconds>\d{1,6}(?:\.\d{1,9})?)s"')

NOTHING_USABLE = "The language model gave nothing that can be used: ask again, or in other words"
TOO_SLOW = "The language model took too long: try again, or ask for less"
UNREACHABLE = (
    "The language model cannot be reached:"
    " check its address in the settings, and that its server is running"
)
BROKE_OFF = "The language model broke off: try again"
STOPPED = "The language model was stopped before it was done: ask for less at once"
KEY_REFUSED = "The language model refused the key: check it in the settings"
RATE_LIMITED = "The language model takes no more requests for now: try again in a while"


def explain(
    error: Exception, model: str, *, has_text: bool = False, own_choice: bool = False
) -> SourcebookError:
    """Return the error that callers get; `own_choice` if they chose the model or its options."""
    if is_too_slow(error):
        return AgentTimeout(TOO_SLOW)
    if isinstance(error, openai.APIConnectionError):
        return AgentRefused(UNREACHABLE) if _is_unconnected(error) else AgentUnavailable(BROKE_OFF)
    if own_choice and (mistake := _explain_choice(error, model)) is not None:
        return mistake
    if isinstance(error, openai.APIStatusError):
        message = explain_status(error.status_code, model)
        kind = AgentUnavailable if is_rate_limited(error) else AgentRefused
        return kind(message, seconds_asked_for(error))
    if isinstance(error, openai.APIError) or has_text:
        return AgentUnavailable(BROKE_OFF)
    return AgentUnavailable(NOTHING_USABLE)


def explain_status(status: int, model: str) -> str:
    """Explain a status, and say what to do."""
    if status in {401, 403}:
        return KEY_REFUSED
    if status == 404:
        return (
            f"The language model {model!r} is not known to its server:"
            " check its name and address in the settings"
        )
    if status == 429:
        return RATE_LIMITED
    if status >= 500:
        return f"The language model's server failed (status {status}): try again later"
    return (
        f"The language model's server refused the request (status {status}):"
        " check the key, the model's name and the address in the settings"
    )


def _explain_choice(error: Exception, model: str) -> SourcebookError | None:
    """Return what is wrong with the caller's own choice, if the server says so."""
    if not isinstance(error, openai.APIStatusError):
        return None
    if error.status_code == 404 or error.code == "model_not_found":
        return NotFound(
            f"The language model {model!r} is not known to its server: leave out 'model', or name"
            " one that it has"
        )
    if error.status_code in {400, 422}:
        return InvalidInput(
            f"The server of the language model {model!r} refused the request (status"
            f" {error.status_code}): leave out options that it does not take, or send less text"
        )
    return None


def is_transient(error: Exception) -> bool:
    """Return whether a retry could succeed. A slow model would be as slow again."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _BUSY
    return isinstance(error, openai.APIConnectionError) and not is_too_slow(error)


def is_rate_limited(error: Exception) -> bool:
    """Return whether the server is well, but takes no more requests for now."""
    return isinstance(error, openai.APIStatusError) and error.status_code == 429


def is_too_slow(error: Exception) -> bool:
    """Return whether the model took too long. Connecting is a matter of the address instead."""
    timed_out = isinstance(error, TimeoutError | openai.APITimeoutError)
    return timed_out and not _is_unconnected(error)


def seconds_asked_for(error: Exception) -> float | None:
    """Return how long a busy server asks to wait: by Retry-After, or as Gemini says it."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in _BUSY:
        return None
    asked_s = parse_retry_after(error.response.headers.get("retry-after", ""))
    if asked_s is None and (said := _RETRY_DELAY.search(error.response.text[:MAX_ERROR_BYTES])):
        asked_s = float(said["seconds"])
    return None if asked_s is None else min(asked_s, MAX_RETRY_AFTER_S)


def _is_unconnected(error: Exception) -> bool:
    return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
