"""The OpenVINO embedder: runs a BERT-family model folder on the CPU, without torch."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.statistics import QueueLength
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.model_description import (
    DescribedModel,
    ModelDescription,
    revision_digest,
)
from sourcebook.providers.inference.bert_graph import EightBitLayers, embedding_graph
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.known_hashes import KnownHashes
from sourcebook.providers.inference.known_outputs import known_outputs
from sourcebook.providers.inference.local_models import (
    EMBEDDER,
    LocatedModel,
    open_local_model,
)
from sourcebook.providers.inference.model_folder import EmbeddingFolder, read_embedding_folder
from sourcebook.providers.inference.openvino_runtime import Precision, compile_graph
from sourcebook.providers.inference.pool import InferencePool
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from sourcebook.providers.inference.weights import FloatArray, hash_weights, read_weights
from sourcebook.providers.inference.windows import (
    WINDOWING_VERSION,
    TokenWindow,
    average,
    batched,
    join_all,
    longest_first,
    restore_order,
)

WindowPool: TypeAlias = InferencePool[TokenWindow, FloatArray]

# Measured: two streams with batches of 8 embed the most texts per second.
BATCH_SIZE = 8
# Tokenizing so many texts takes milliseconds.
TOKENIZER_BATCH_SIZE = 32
MAX_QUERY_WINDOWS = 32
# Queries up to this length are tokenized on the event loop: that takes 0.05 ms, no longer than
# waking a thread up.
MAX_INLINE_CHARACTERS = 500
MIN_COSINE = 0.999
# What the bundled model makes of the probes in f32. If its folder says another pooling or length,
# they disagree, and f32 is computed.
KNOWN_OUTPUTS = Path(__file__).parent
PROBES = (
    "What does the warranty cover?",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "def area(radius: float) -> float: return 3.14159 * radius ** 2",
    "The committee met on 14 March 2019 and put off its decision until the figures for the last"
    " quarter were known; two members disagreed and asked for that to be put on record.",
)


class OpenVinoEmbedder(DescribedModel):
    """Embeds on threads of its own: documents in batches, and queries before them."""

    def __init__(
        self,
        description: ModelDescription,
        prompts: Prompts,
        tokenizer: WindowTokenizer,
        pool: WindowPool,
    ) -> None:
        super().__init__(description)
        self._prompts = prompts
        self._tokenizer = tokenizer
        self._pool = pool
        # Two threads, so that a query never waits until a pile of documents is tokenized.
        self._query_thread = ThreadPoolExecutor(1, "tokenize-queries")
        self._document_thread = ThreadPoolExecutor(1, "tokenize-documents")

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed a batch, in order."""
        with foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed"):
            per_text = await self._document_windows(texts)
            vectors = await self._vectors(list(chain.from_iterable(per_text)))
            return await asyncio.get_running_loop().run_in_executor(
                self._document_thread, join_all, vectors, per_text
            )

    async def embed_query(self, text: str) -> Vector:
        """Embed one query as one vector, however long it is."""
        if self._pool.closed:
            raise EmbeddingFailed(f"The model {self.id!r} is closed")
        with foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed"):
            windows = await self._query_windows(text)
            # A query as long as a book waits with the books.
            long = len(windows) > MAX_QUERY_WINDOWS
            vectors = await (self._vectors(windows) if long else self._pool.ask(windows))
            return average(vectors, [window.weight for window in windows])

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Return where the tokens of each text begin and end."""
        loop = asyncio.get_running_loop()
        spans: list[TokenSpans] = []
        with foreign_errors_as(EmbeddingFailed, f"Tokenizing with {self.id!r} failed"):
            for some in batched(texts, TOKENIZER_BATCH_SIZE):
                spans += await loop.run_in_executor(
                    self._document_thread, self._tokenizer.spans, some
                )
        return spans

    @property
    def queue(self) -> QueueLength:
        """How much waits for the model."""
        return self._pool.queue

    async def check(self) -> ServiceHealth:
        """Report the model up until it is closed."""
        if self._pool.closed:
            return ServiceHealth("down", message="The model is closed")
        return ServiceHealth("up")

    def close(self) -> None:
        """End the threads, after the batches that are being computed."""
        self._pool.close()
        self._query_thread.shutdown()
        self._document_thread.shutdown()

    async def _query_windows(self, text: str) -> list[TokenWindow]:
        if len(text) <= MAX_INLINE_CHARACTERS:
            return self._tokenizer.windows([text], self._prompts.query)[0]
        (windows,) = await asyncio.get_running_loop().run_in_executor(
            self._query_thread, self._tokenizer.windows, [text], self._prompts.query
        )
        return windows

    async def _document_windows(self, texts: Sequence[str]) -> list[list[TokenWindow]]:
        loop = asyncio.get_running_loop()
        per_text: list[list[TokenWindow]] = []
        for some in batched(texts, TOKENIZER_BATCH_SIZE):
            per_text += await loop.run_in_executor(
                self._document_thread, self._tokenizer.windows, some, self._prompts.document
            )
        return per_text

    async def _vectors(self, windows: Sequence[TokenWindow]) -> list[FloatArray]:
        order = longest_first(windows)
        batches = batched([windows[number] for number in order], BATCH_SIZE)
        return restore_order(order, list(chain.from_iterable(await self._pool.work(batches))))


def open_openvino_embedder(
    settings: LocalEmbedderSettings, opening: Opening, *, precision: Precision | None = None
) -> AbstractAsyncContextManager[OpenVinoEmbedder]:
    """Load a model while the context lasts. Prompts in the settings override the folder's."""

    def load(model: LocatedModel) -> OpenVinoEmbedder:
        return _load(opening, model, settings, precision)

    return open_local_model(settings.path, opening, load, EMBEDDER)


def _load(
    opening: Opening,
    model: LocatedModel,
    settings: LocalEmbedderSettings,
    precision: Precision | None,
) -> OpenVinoEmbedder:
    folder = read_embedding_folder(model.folder)
    prompts = folder.prompts.overridden(settings.query_prompt, settings.document_prompt)
    sha256 = hash_weights(folder.model.path, KnownHashes(opening.data_dir))
    model.check(sha256)
    weights = read_weights(folder.model.path)
    tokenizer = WindowTokenizer(folder.model)
    probes = list(chain.from_iterable(tokenizer.windows(PROBES)))
    pad_token_id = folder.model.architecture.pad_token_id
    computes = compile_graph(
        partial(embedding_graph, folder, weights),
        pad_token_id,
        probes,
        _agree,
        precision,
        max_tokens=folder.model.max_tokens,
        eight_bit=partial(embedding_graph, folder, weights, EightBitLayers),
        known=known_outputs(KNOWN_OUTPUTS, sha256),
    )
    description = ModelDescription(
        id=opening.id,
        name=model.name,
        dimensions=folder.model.architecture.hidden_size,
        max_tokens=folder.model.max_tokens,
        revision=_revision(folder, sha256, prompts),
    )
    return OpenVinoEmbedder(description, prompts, tokenizer, InferencePool(computes))


def _agree(exact: FloatArray, fast: FloatArray) -> bool:
    return bool(np.min(np.sum(exact * fast, axis=1)) >= MIN_COSINE)


def _revision(folder: EmbeddingFolder, weights_sha256: str, prompts: Prompts) -> str:
    # The precision is left out on purpose: an index outlives the CPU that filled it.
    parts = {
        "weights": weights_sha256,
        "pooling": folder.pooling,
        "normalised": True,
        "max_tokens": folder.model.max_tokens,
        "lowercase": folder.model.lowercase,
        "prompts": [prompts.query, prompts.document],
        "windowing": WINDOWING_VERSION,
    }
    return revision_digest(parts)
