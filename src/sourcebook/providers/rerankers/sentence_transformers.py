"""The sentence-transformers cross-encoder: any reranker that the library loads."""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.local_models import (
    CROSS_ENCODER,
    LocatedModel,
    open_local_model,
)
from sourcebook.providers.inference.model_code import check_code
from sourcebook.providers.inference.torch_models import (
    HubTokenizer,
    loading_errors,
    token_limit,
    token_offsets,
)
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import cut_text, regroup
from sourcebook.providers.rerankers.local_provider import LocalRerankerSettings

NO_CODE = "Choose a cross-encoder that needs none"


class PairModel(Protocol):
    """The part of a CrossEncoder that we use."""

    @property
    def tokenizer(self) -> HubTokenizer: ...
    def predict(
        self, sentences: list[tuple[str, str]], *, show_progress_bar: bool
    ) -> FloatArray: ...


class SentenceTransformersCrossEncoder:
    """Scores on one thread. A long text counts with its best window."""

    def __init__(self, name: str, max_tokens: int, model: PairModel) -> None:
        self.name = name
        self._max_tokens = max_tokens
        self._model = model
        self._offsets = token_offsets(model.tokenizer)
        self._thread = ThreadPoolExecutor(1, "sentence-transformers-pairs")

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text; higher is better."""
        if not texts:
            return []
        with foreign_errors_as(Unavailable, f"Reranking with {self.name!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, self._score, query, texts
            )

    async def check(self) -> ServiceHealth:
        """Report the model up: it is loaded."""
        return ServiceHealth("up")

    def close(self) -> None:
        """End the thread, after what is being computed."""
        self._thread.shutdown()

    def _score(self, query: str, texts: Sequence[str]) -> list[float]:
        per_text = [self._pairs(query, text) for text in texts]
        scores = self._model.predict(
            [pair for pairs in per_text for pair in pairs], show_progress_bar=False
        ).tolist()
        if not all(map(math.isfinite, scores)):
            raise Unavailable(f"The reranker {self.name!r} gave a score that is not finite")
        return [max(group) for group in regroup(scores, [len(pairs) for pairs in per_text])]

    def _pairs(self, query: str, text: str) -> list[tuple[str, str]]:
        room = self._max_tokens - self._model.tokenizer.num_special_tokens_to_add(pair=True)
        spans = self._offsets(query)
        if len(spans) + len(self._offsets(text)) > room and len(spans) > room // 2:
            query = query[: spans[room // 2 - 1][1]]
            spans = spans[: room // 2]
        windows = cut_text(text, room - len(spans), self._offsets)
        return [(query, window.text) for window in windows]


def open_sentence_transformers_cross_encoder(
    settings: LocalRerankerSettings, opening: Opening
) -> AbstractAsyncContextManager[SentenceTransformersCrossEncoder]:
    """Load a cross-encoder while the context lasts."""
    return open_local_model(settings.path, opening, _load, CROSS_ENCODER)


def _load(model: LocatedModel) -> SentenceTransformersCrossEncoder:
    check_code(model.name, model.folder, NO_CODE)
    with loading_errors(model, NO_CODE):
        # An optional library, and slow to import.
        from sentence_transformers import CrossEncoder  # noqa: PLC0415

        loaded = CrossEncoder(str(model.folder), trust_remote_code=False, local_files_only=True)
        labels = loaded.config.num_labels
        if labels != 1:
            raise ConfigurationError(
                f"Model {model.name!r} gives {labels} labels for a pair, and a reranker must give"
                " one score. Choose a cross-encoder that was trained for ranking"
            )
        # Newer versions renamed it, and warn at the old name.
        limit = getattr(loaded, "max_seq_length", None) or getattr(loaded, "max_length", None)
        return SentenceTransformersCrossEncoder(model.name, token_limit(limit), loaded)
