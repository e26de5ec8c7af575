"""When an embedding service refuses: another try would end the same.

EmbeddingFailed (core/errors.py)
└── EmbeddingRefused        the key, the model or another setting must be mended
    └── PoisonText          some texts are refused, and all others are fine
"""

from collections.abc import Sequence

from sourcebook.core.errors import EmbeddingFailed


class EmbeddingRefused(EmbeddingFailed):
    """The service will not do it, however often it is asked."""


class PoisonText(EmbeddingRefused):
    """Texts of a call were refused for what they are; `positions` says which, from 0."""

    def __init__(self, message: str, positions: Sequence[int]) -> None:
        super().__init__(message)
        self.positions = tuple(positions)


def refuses_all(error: EmbeddingFailed) -> bool:
    """Tell whether the service would refuse any text: trying them one by one is in vain."""
    return isinstance(error, EmbeddingRefused) and not isinstance(error, PoisonText)
