"""Explains failures of a language model, and which of them a retry may cure.

The server's own words are not repeated: they may hold a key, or anything else.
"""

import httpx2
import openai

from sourcebook.core.errors import AgentUnavailable
from sourcebook.providers.outbound.json_server import parse_retry_after

_BUSY = frozenset({429, 500, 502, 503, 504})

NOTHING_USABLE = "The language model gave nothing that can be used: ask again, or in other words"
TOO_SLOW = "The language model took too long: try again, or ask for less"
UNREACHABLE = (
    "The language model cannot be reached:"
    " check its address in the settings, and that its server is running"
)
BROKE_OFF = "The language model broke off: try again"
KEY_REFUSED = "The language model refused the key: check it in the settings"
RATE_LIMITED = "The language model takes no more requests for now: try again in a while"


def explain(error: Exception, model: str, *, has_text: bool = False) -> AgentUnavailable:
    """Return the error that callers get."""
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        # A connection that is not made in time is a matter of the address, not of the model.
        unconnected = isinstance(error.__cause__, httpx2.ConnectTimeout)
        return AgentUnavailable(UNREACHABLE if unconnected else TOO_SLOW)
    if isinstance(error, openai.APIConnectionError):
        unconnected = isinstance(error.__cause__, httpx2.ConnectError)
        return AgentUnavailable(UNREACHABLE if unconnected else BROKE_OFF)
    if isinstance(error, openai.APIStatusError):
        return AgentUnavailable(explain_status(error.status_code, model))
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


def is_transient(error: Exception) -> bool:
    """Return whether a retry could succeed."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _BUSY
    return isinstance(error, TimeoutError | openai.APIConnectionError)


def seconds_asked_for(error: Exception) -> float | None:
    """Return the server's Retry-After in seconds, if it sent one."""
    if not isinstance(error, openai.APIStatusError):
        return None
    return parse_retry_after(error.response.headers.get("retry-after", ""))
