"""Translates the failures of an embedding service into errors that tell callers what to do."""

import re
from dataclasses import dataclass

from sourcebook.core.errors import EmbeddingFailed, EmbeddingRefused, RateLimited
from sourcebook.providers.outbound.json_server import CallFailed, StatusRefused, WrongSetting

# Statuses that can be about the texts. 498 is Cohere's, for words that it does not accept.
_ABOUT_TEXTS = frozenset({400, 413, 422, 498})
_TEMPORARY = frozenset({408, 409, 425})
_TOO_LONG = re.compile(
    r"too long|too large|too many tokens|context length|context size|maximum context"
    r"|max(imum)?[ _]\w*[ _]?(tokens|length)|exceeds? (the )?(max|limit|context)|input length",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient_quota|billing_hard_limit", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ErrorTranslator:
    """Words the failures of one model's service. `key_setting` says where its key is set."""

    model_id: str
    model: str
    key_setting: str = "api_key"

    def translate(self, error: CallFailed) -> EmbeddingFailed:
        """Return the error to raise to callers."""
        if isinstance(error, StatusRefused):
            return self._refusal(error)
        kind = EmbeddingRefused if isinstance(error, WrongSetting) else EmbeddingFailed
        return kind(self._sentence(error.message))

    def _refusal(self, error: StatusRefused) -> EmbeddingFailed:
        status = error.status
        if status == 402 or (status == 429 and _NO_CREDIT.search(error.said)):
            return EmbeddingRefused(self._sentence("has no credit left: check the account"))
        if status == 429:
            return RateLimited(
                self._sentence("takes no more for now: try again in a while"), error.retry_after_s
            )
        if status >= 500 or status in _TEMPORARY:
            return EmbeddingFailed(self._sentence(f"failed (status {status}): try again later"))
        return EmbeddingRefused(self._sentence(self._advice(status)))

    def _advice(self, status: int) -> str:
        if status in {401, 403}:
            return f"refused the key (status {status}): check {self.key_setting}"
        if status == 404:
            return f"knows no model {self.model!r} at this address: check path and base_url"
        if status < 400:
            return f"sends us elsewhere (status {status}): check base_url"
        return f"refuses every request (status {status}): check path, dimensions and base_url"

    def _sentence(self, rest: str) -> str:
        return f"The embedding service of model {self.model_id!r} {rest}"


def is_about_texts(error: StatusRefused) -> bool:
    """Return whether the service might accept the same request with other texts."""
    return error.status in _ABOUT_TEXTS


def is_too_long(error: StatusRefused) -> bool:
    """Return whether the service might accept shorter texts."""
    return error.status == 413 or (
        is_about_texts(error) and _TOO_LONG.search(error.said) is not None
    )
