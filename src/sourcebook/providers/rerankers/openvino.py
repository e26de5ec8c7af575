"""The OpenVINO cross-encoder: runs a BERT-family model folder on the CPU, without torch."""

import asyncio
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.readings import logistic
from sourcebook.core.statistics import QueueLength
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.bert_graph import scoring_graph
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.json_file import read_object, read_optional_object
from sourcebook.providers.inference.local_models import (
    CROSS_ENCODER,
    LocatedModel,
    open_local_model,
)
from sourcebook.providers.inference.model_folder import USE_THE_EXTRA, read_scoring_folder
from sourcebook.providers.inference.openvino_runtime import Precision, compile_graph
from sourcebook.providers.inference.pool import InferencePool
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from sourcebook.providers.inference.weights import FloatArray, read_weights
from sourcebook.providers.inference.windows import (
    TokenWindow,
    longest_first,
    regroup,
    restore_order,
)
from sourcebook.providers.rerankers.local_provider import LocalRerankerSettings

WindowPool: TypeAlias = InferencePool[TokenWindow, FloatArray]
Activation: TypeAlias = Callable[[float], float]

BATCH_SIZE = 8
MAX_DEVIATION = 0.1
PROBE_QUERY = "How do plants make sugar?"
PROBES = (
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "The committee put off its decision until the figures for the last quarter were known.",
    "Sugar.",
)


class OpenVinoCrossEncoder:
    """Scores on threads of its own. A long text counts with its best window."""

    def __init__(
        self, name: str, tokenizer: WindowTokenizer, pool: WindowPool, activation: Activation
    ) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._pool = pool
        self._activation = activation
        self._thread = ThreadPoolExecutor(1, "tokenize-pairs")

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text; higher is better."""
        if not texts:
            return []
        with foreign_errors_as(Unavailable, f"Reranking with {self.name!r} failed"):
            per_text = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._tokenizer.pair_windows, query, texts
            )
            logits = await self._logits(list(chain.from_iterable(per_text)))
            groups = regroup(logits, [len(windows) for windows in per_text])
            return [self._activation(max(group)) for group in groups]

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
        self._thread.shutdown()

    async def _logits(self, windows: Sequence[TokenWindow]) -> list[float]:
        order = longest_first(windows)
        rows = await self._pool.ask([windows[number] for number in order])
        logits = [float(row[0]) for row in restore_order(order, rows)]
        if not all(map(math.isfinite, logits)):
            raise Unavailable(f"The reranker {self.name!r} gave a score that is not finite")
        return logits


def open_openvino_cross_encoder(
    settings: LocalRerankerSettings, opening: Opening, *, precision: Precision | None = None
) -> AbstractAsyncContextManager[OpenVinoCrossEncoder]:
    """Load a cross-encoder while the context lasts."""

    def load(model: LocatedModel) -> OpenVinoCrossEncoder:
        return _load(model, precision)

    return open_local_model(settings.path, opening, load, CROSS_ENCODER)


def _load(model: LocatedModel, precision: Precision | None) -> OpenVinoCrossEncoder:
    folder = read_scoring_folder(model.folder)
    activation = _read_activation(model.folder)
    weights = read_weights(folder.path)
    tokenizer = WindowTokenizer(folder)
    computes = compile_graph(
        partial(scoring_graph, folder, weights),
        folder.architecture.pad_token_id,
        list(chain.from_iterable(tokenizer.pair_windows(PROBE_QUERY, PROBES))),
        _agree,
        precision,
    )
    pool = InferencePool(computes, micro_batch=BATCH_SIZE)
    return OpenVinoCrossEncoder(model.name, tokenizer, pool, activation)


def _agree(exact: FloatArray, fast: FloatArray) -> bool:
    return bool(np.max(np.abs(exact - fast)) <= MAX_DEVIATION)


def _read_activation(folder: Path) -> Activation:
    """Return what turns a logit into a score, by the rules of sentence-transformers."""
    config = read_object(folder / "config.json")
    oldest = config.text("sbert_ce_default_activation_function", "Sigmoid")
    old = config.table("sentence_transformers").text("activation_fn", oldest)
    saved = read_optional_object(folder / "config_sentence_transformers.json")
    named = saved.text("activation_fn", old)
    known: dict[str, Activation] = {"Sigmoid": logistic, "Identity": float}
    activation = known.get(named.rpartition(".")[2])
    if activation is None:
        raise ConfigurationError(
            f"{folder}: activation {named!r} is not supported here, only {list(known)}."
            f" {USE_THE_EXTRA}"
        )
    return activation
