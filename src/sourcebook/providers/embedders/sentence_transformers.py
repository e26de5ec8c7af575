"""The sentence-transformers embedder: any model that the library loads, on any device it knows."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from itertools import chain
from typing import Protocol

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.embedders.description import ModelDescription
from sourcebook.providers.inference.batching import regrouped
from sourcebook.providers.inference.locating import LocatedModel
from sourcebook.providers.inference.prompts import Prompts, named_prompts
from sourcebook.providers.inference.text_pieces import Piece, cut_text
from sourcebook.providers.inference.torch_models import (
    HubTokenizer,
    loading_errors,
    token_limit,
    token_offsets,
    weights_digest,
)
from sourcebook.providers.inference.translating import foreign_errors_as
from sourcebook.providers.inference.weights import FloatArray, hash_weights
from sourcebook.providers.inference.windows import WINDOWING_VERSION, average, join


class SentenceModel(Protocol):
    """What is used of a SentenceTransformer."""

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


class SentenceTransformersEmbedder:
    """Embeds on one thread: the library's models do one thing at a time."""

    def __init__(
        self, description: ModelDescription, prompts: Prompts, model: SentenceModel
    ) -> None:
        self.id = description.id
        self.name = description.name
        self.dimensions = description.dimensions
        self.max_tokens = description.max_tokens
        self.revision = description.revision
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
        """Embed one question as one vector, however long it is."""
        with foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, self._embed_query, text
            )

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Where the tokens of each text stand."""
        with foreign_errors_as(EmbeddingFailed, f"Tokenizing with {self.id!r} failed"):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, lambda: [self._offsets(text) for text in texts]
            )

    async def check(self) -> ServiceHealth:
        """A loaded model is up."""
        return ServiceHealth("up")

    def close(self) -> None:
        """End the thread; waits for what is being computed."""
        self._thread.shutdown()

    def _embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        pieces = [self._pieces(text, self._prompts.document) for text in texts]
        vectors = self._encode(list(chain.from_iterable(pieces)), self._prompts.document)
        groups = regrouped(vectors, [len(of_text) for of_text in pieces])
        return [
            join(group, [piece.weight for piece in of_text])
            for group, of_text in zip(groups, pieces, strict=True)
        ]

    def _embed_query(self, text: str) -> Vector:
        pieces = self._pieces(text, self._prompts.query)
        vectors = self._encode(pieces, self._prompts.query)
        return average(vectors, [piece.weight for piece in pieces])

    def _pieces(self, text: str, prompt: str) -> list[Piece]:
        taken = self._model.tokenizer.num_special_tokens_to_add() + len(self._offsets(prompt))
        return cut_text(text, self.max_tokens - taken, self._offsets)

    def _encode(self, pieces: Sequence[Piece], prompt: str) -> list[FloatArray]:
        vectors = self._model.encode(
            [piece.text for piece in pieces],
            prompt=prompt,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        if vectors.shape != (len(pieces), self.dimensions):
            raise EmbeddingFailed(
                f"The embedder gave vectors of shape {vectors.shape}, not"
                f" {(len(pieces), self.dimensions)}"
            )
        return list(vectors)


@asynccontextmanager
async def open_sentence_transformers_embedder(
    model_id: str,
    model: LocatedModel,
    *,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
) -> AsyncIterator[SentenceTransformersEmbedder]:
    """Load a model for as long as the context lasts. Prompts given here win over the model's."""
    embedder = await asyncio.to_thread(_load, model_id, model, query_prompt, document_prompt)
    try:
        yield embedder
    finally:
        await asyncio.to_thread(embedder.close)


def _load(
    model_id: str, model: LocatedModel, query_prompt: str | None, document_prompt: str | None
) -> SentenceTransformersEmbedder:
    if model.sha256 is not None:
        model.check(hash_weights(model.folder))
    with loading_errors(model.name):
        # An optional library, and slow to import.
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        loaded = SentenceTransformer(
            str(model.folder), trust_remote_code=False, local_files_only=True
        )
        # Newer versions renamed it, and warn at the old name.
        ask = getattr(loaded, "get_embedding_dimension", None)
        dimensions = ask() if ask else loaded.get_sentence_embedding_dimension()
        prompts = named_prompts(loaded.prompts).overridden(query_prompt, document_prompt)
        max_tokens = token_limit(loaded.max_seq_length)
        parts = [weights_digest(loaded.state_dict()), max_tokens, prompts.query, prompts.document]
        revision = hashlib.sha256(json.dumps([*parts, WINDOWING_VERSION]).encode()).hexdigest()
        description = ModelDescription(
            id=model_id,
            name=model.name,
            dimensions=dimensions,
            max_tokens=max_tokens,
            revision=f"st-{revision[:16]}",
        )
        return SentenceTransformersEmbedder(description, prompts, loaded)
