"""The sentence-transformers embedder: any model that the library loads, on any device it knows."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from itertools import chain
from typing import Protocol

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import SentenceTransformersSettings
from sourcebook.providers.embedders.model_description import (
    DescribedModel,
    ModelDescription,
    revision_digest,
)
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.local_models import (
    EMBEDDER,
    LocatedModel,
    open_local_model,
)
from sourcebook.providers.inference.model_code import TRUST_IT, check_code
from sourcebook.providers.inference.prompts import Prompts, named_prompts
from sourcebook.providers.inference.torch_models import (
    HubTokenizer,
    loading_errors,
    token_limit,
    token_offsets,
    weights_digest,
)
from sourcebook.providers.inference.weights import FloatArray, hash_weights
from sourcebook.providers.inference.windows import (
    WINDOWING_VERSION,
    TextWindow,
    average,
    cut_text,
    join_all,
)


class SentenceModel(Protocol):
    """The part of a SentenceTransformer that we use."""

    @property
    def tokenizer(self) -> HubTokenizer: ...
    def encode(
        self,
        sentences: list[str],
        *,
        prompt: str,
        normalize_embeddings: bool,
        show_progress_bar: bool,
    ) -> FloatArray: ...


class SentenceTransformersEmbedder(DescribedModel):
    """Embeds on one thread, because the library's models do one thing at a time."""

    def __init__(
        self, description: ModelDescription, prompts: Prompts, model: SentenceModel
    ) -> None:
        super().__init__(description)
        self._prompts = prompts
        self._model = model
        self._offsets = token_offsets(model.tokenizer)
        self._thread = ThreadPoolExecutor(1, "sentence-transformers")

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed a batch with one call of the library, in order."""
        if not texts:
            return []
        with foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, self._embed_documents, texts
            )

    async def embed_query(self, text: str) -> Vector:
        """Embed one query as one vector, however long it is."""
        with foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, self._embed_query, text
            )

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Return where the tokens of each text begin and end."""
        with foreign_errors_as(EmbeddingFailed, f"Tokenizing with {self.id!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, lambda: [self._offsets(text) for text in texts]
            )

    async def check(self) -> ServiceHealth:
        """Report the model up: it is loaded."""
        return ServiceHealth("up")

    def close(self) -> None:
        """End the thread, after what is being computed."""
        self._thread.shutdown()

    def _embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        per_text = [self._cut(text, self._prompts.document) for text in texts]
        vectors = self._encode(list(chain.from_iterable(per_text)), self._prompts.document)
        return join_all(vectors, per_text)

    def _embed_query(self, text: str) -> Vector:
        windows = self._cut(text, self._prompts.query)
        vectors = self._encode(windows, self._prompts.query)
        return average(vectors, [window.weight for window in windows])

    def _cut(self, text: str, prompt: str) -> list[TextWindow]:
        taken = self._model.tokenizer.num_special_tokens_to_add() + len(self._offsets(prompt))
        return cut_text(text, self.max_tokens - taken, self._offsets)

    def _encode(self, windows: Sequence[TextWindow], prompt: str) -> list[FloatArray]:
        vectors = self._model.encode(
            [window.text for window in windows],
            prompt=prompt,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        if vectors.shape != (len(windows), self.dimensions):
            raise EmbeddingFailed(
                f"The embedder gave vectors of shape {vectors.shape}, not"
                f" {(len(windows), self.dimensions)}"
            )
        return list(vectors)


def open_sentence_transformers_embedder(
    settings: SentenceTransformersSettings, opening: Opening
) -> AbstractAsyncContextManager[SentenceTransformersEmbedder]:
    """Load a model while the context lasts. Prompts in the settings override the model's."""

    def load(model: LocatedModel) -> SentenceTransformersEmbedder:
        return _load(opening.id, model, settings)

    return open_local_model(
        settings.path, opening, load, EMBEDDER, with_code=settings.trust_remote_code
    )


def _load(
    model_id: str, model: LocatedModel, settings: SentenceTransformersSettings
) -> SentenceTransformersEmbedder:
    if model.sha256 is not None:
        model.check(hash_weights(model.folder))
    if not settings.trust_remote_code:
        check_code(model.name, model.folder, TRUST_IT)
    with loading_errors(model, TRUST_IT):
        # An optional library, and slow to import.
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        loaded = SentenceTransformer(
            str(model.folder),
            trust_remote_code=settings.trust_remote_code,
            local_files_only=True,
        )
        # Newer versions renamed it, and warn at the old name.
        ask = getattr(loaded, "get_embedding_dimension", None)
        dimensions = ask() if ask else loaded.get_sentence_embedding_dimension()
        prompts = named_prompts(loaded.prompts).overridden(
            settings.query_prompt, settings.document_prompt
        )
        max_tokens = token_limit(loaded.max_seq_length)
        parts = [weights_digest(loaded.state_dict()), max_tokens, prompts.query, prompts.document]
        description = ModelDescription(
            id=model_id,
            name=model.name,
            dimensions=dimensions,
            max_tokens=max_tokens,
            revision=f"st-{revision_digest([*parts, WINDOWING_VERSION])}",
        )
        return SentenceTransformersEmbedder(description, prompts, loaded)
