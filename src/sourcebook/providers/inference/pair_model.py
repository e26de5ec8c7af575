"""A cross-encoder on OpenVINO: a BERT-family folder that reads two texts together, on the CPU."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from sourcebook.core.errors import Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.statistics import QueueLength
from sourcebook.providers.inference.bert_graph import label_count, scoring_graph
from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.model_folder import ModelFolder, read_scoring_folder
from sourcebook.providers.inference.openvino_runtime import Precision, compile_graph
from sourcebook.providers.inference.pool import InferencePool
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from sourcebook.providers.inference.weights import FloatArray, Weights, read_weights
from sourcebook.providers.inference.windows import (
    TokenWindow,
    longest_first,
    regroup,
    restore_order,
)

WindowPool: TypeAlias = InferencePool[TokenWindow, FloatArray]
Cut: TypeAlias = Callable[[WindowTokenizer], Sequence[Sequence[TokenWindow]]]

BATCH_SIZE = 8
MAX_DEVIATION = 0.1
PROBE_QUERY = "How do plants make sugar?"
PROBES = (
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "The committee put off its decision until the figures for the last quarter were known.",
    "Sugar.",
)


class PairModel:
    """Computes on threads of its own; a row has a logit for each label."""

    def __init__(self, name: str, tokenizer: WindowTokenizer, pool: WindowPool) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._pool = pool
        self._thread = ThreadPoolExecutor(1, "tokenize-pairs")

    async def logits(self, cut: Cut) -> list[Sequence[FloatArray]]:
        """The rows of the windows that each pair is cut into."""
        per_pair = await asyncio.get_running_loop().run_in_executor(
            self._thread, cut, self._tokenizer
        )
        windows = list(chain.from_iterable(per_pair))
        order = longest_first(windows)
        rows = restore_order(order, await self._pool.ask([windows[number] for number in order]))
        if not all(np.isfinite(row).all() for row in rows):
            raise Unavailable(f"The model {self.name!r} gave a score that is not finite")
        return list(regroup(rows, [len(windows) for windows in per_pair]))

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


@dataclass(frozen=True, slots=True)
class PairFolder:
    """The folder of a cross-encoder, and its weights."""

    name: str
    model: ModelFolder
    weights: Weights

    @property
    def labels(self) -> int:
        """How many logits it gives for a pair."""
        return label_count(self.model, self.weights)

    def load(self, precision: Precision | None = None) -> PairModel:
        """Compile the graph, and start the threads."""
        tokenizer = WindowTokenizer(self.model)
        computes = compile_graph(
            partial(scoring_graph, self.model, self.weights),
            self.model.architecture.pad_token_id,
            list(chain.from_iterable(tokenizer.pair_windows(PROBE_QUERY, PROBES))),
            _agree,
            precision,
        )
        pool = InferencePool(computes, micro_batch=BATCH_SIZE)
        return PairModel(self.name, tokenizer, pool)


def read_pair_folder(model: LocatedModel) -> PairFolder:
    """Read the folder of a cross-encoder; ConfigurationError."""
    folder = read_scoring_folder(model.folder)
    return PairFolder(model.name, folder, read_weights(folder.path))


def _agree(exact: FloatArray, fast: FloatArray) -> bool:
    return bool(np.max(np.abs(exact - fast)) <= MAX_DEVIATION)
