"""The reader on OpenVINO: the bundled model with an adapter of our own, on the CPU."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.readings import Calibration, ReadablePassage, Reading
from sourcebook.core.statistics import QueueLength
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.bert_graph import EightBitLayers, reading_graph
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.known_outputs import known_outputs
from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.model_folder import read_embedding_folder
from sourcebook.providers.inference.openvino_runtime import Precision, compile_graph
from sourcebook.providers.inference.pool import InferencePool
from sourcebook.providers.inference.tokenizer import WindowTokenizer
from sourcebook.providers.inference.weights import FloatArray, hash_weights, read_weights
from sourcebook.providers.inference.windows import (
    TokenWindow,
    longest_first,
    regroup,
    restore_order,
)
from sourcebook.providers.readers.adapter import Adapter, find_reader
from sourcebook.providers.readers.local_provider import ReaderSettings
from sourcebook.providers.readers.reading_windows import (
    MAX_TOKENS,
    PairWindows,
    ReadingWindow,
    join_readings,
)

WindowPool: TypeAlias = InferencePool[TokenWindow, FloatArray]

# Measured: from 64 tokens on, several at once are no faster than one after the other, and need
# padding; one at a time, the streams share the passages of a question evenly.
BATCH_SIZE = 1
# Of the mean: a logit more or less changes a probability by a twentieth, and a third of that is
# nothing.
MAX_DEVIATION = 0.35
# Several, answered and not, because one alone may come out well or badly by chance.
PROBES = tuple(
    (question, ReadablePassage(heading, text, ()))
    for question, heading, text in (
        (
            "How do plants make sugar?",
            "Plants > Food",
            "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
        ),
        (
            "Which port does the server listen on?",
            "Configuration",
            "Unless told otherwise, the server listens on port 8080 of all addresses.",
        ),
        (
            "Who wrote the first edition?",
            "History",
            "The second edition appeared in 1968, with a new preface and forty more plates.",
        ),
        (
            "How long may a session be idle?",
            "Sessions",
            "A session ends after thirty minutes without a request. What it held is thrown away.",
        ),
        (
            "Can I eat the berries?",
            "Hedges > Privet",
            "Privet grows quickly and takes hard cutting, so that it makes a dense hedge.",
        ),
        (
            "what does the red lamp mean",
            "Lamps",
            "Green: the pump runs. Yellow: the filter is due. Red: the tank is empty.",
        ),
    )
)


class OpenVinoReader:
    """Reads on threads of its own, which all questions share.

    The graph is built when it is first needed: many commands never ask anything.
    """

    # As a reranker, beside the score of a search: more than this makes searches worse.
    blend_weight = 0.005

    def __init__(self, adapter: Adapter, base: LocatedModel, precision: Precision | None) -> None:
        self.name = adapter.name
        self.sha256 = adapter.sha256
        self.calibration: Calibration = adapter.calibration
        self._load = partial(_load, adapter, base, precision)
        self._loading: asyncio.Future[_Loaded] | None = None
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "tokenize-readings")

    async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
        """A reading of each passage, in order."""
        if not passages:
            return []
        with foreign_errors_as(Unavailable, f"Reading with {self.name!r} failed"):
            loaded = await self._loaded()
            loop = asyncio.get_running_loop()
            per_passage = await loop.run_in_executor(
                self._thread, loaded.windows.windows, question, passages
            )
            rows = await self._rows(list(chain.from_iterable(per_passage)), loaded.pool)
            groups = regroup(rows, [len(windows) for windows in per_passage])
            return [
                join_readings(group, windows, len(passage.parts))
                for group, windows, passage in zip(groups, per_passage, passages, strict=True)
            ]

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """The relevance of each text, as a reranker gives it; higher is better."""
        readings = await self.read(query, [ReadablePassage("", text, ()) for text in texts])
        return [reading.relevance for reading in readings]

    async def load(self) -> None:
        """Build the graph, if that was not done yet."""
        await self._loaded()

    async def _loaded(self) -> "_Loaded":
        """The graph. All who wait for it wait for the same building."""
        if self._closed:
            raise Unavailable(f"The reader {self.name!r} is closed")
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(self._load))
        try:
            return await asyncio.shield(self._loading)
        except ConfigurationError as error:
            raise Unavailable(error.message) from error

    @property
    def queue(self) -> QueueLength:
        """How much waits for the model."""
        loaded = self._done()
        return QueueLength(0, 0, 0) if loaded is None else loaded.pool.queue

    async def check(self) -> ServiceHealth:
        """Report the model up until it is closed."""
        if self._closed:
            return ServiceHealth("down", message="The model is closed")
        return ServiceHealth("up")

    async def close(self) -> None:
        """End the threads, after the batches that are being computed."""
        self._closed = True
        if self._loading is not None:
            with suppress(Exception):
                await self._loading
        if (loaded := self._done()) is not None:
            await asyncio.to_thread(loaded.pool.close)
        self._thread.shutdown()

    def _done(self) -> "_Loaded | None":
        loading = self._loading
        if loading is None or not loading.done() or loading.cancelled() or loading.exception():
            return None
        return loading.result()

    async def _rows(self, windows: Sequence[ReadingWindow], pool: WindowPool) -> list[FloatArray]:
        tokens = [window.tokens for window in windows]
        order = longest_first(tokens)
        rows = restore_order(order, await pool.ask([tokens[number] for number in order]))
        if not all(math.isfinite(row[0]) for row in rows):
            raise Unavailable(f"The reader {self.name!r} gave a score that is not finite")
        return rows


@dataclass(frozen=True, slots=True)
class _Loaded:
    windows: PairWindows
    pool: WindowPool


@asynccontextmanager
async def open_openvino_reader(
    settings: ReaderSettings, opening: Opening, *, precision: Precision | None = None
) -> AsyncIterator[OpenVinoReader]:
    """Check a reader's files, and close it when the context ends."""
    adapter, base = await asyncio.to_thread(find_reader, settings.path, opening.models_dir)
    reader = OpenVinoReader(adapter, base, precision)
    try:
        yield reader
    finally:
        await reader.close()


def _load(adapter: Adapter, base: LocatedModel, precision: Precision | None) -> _Loaded:
    found = hash_weights(base.folder)
    if found != adapter.base_sha256:
        raise ConfigurationError(
            f"The reader {adapter.name!r} was trained on weights with the sha256"
            f" {adapter.base_sha256}, and the bundled model's is {found}. Train it again, see"
            " training/README.md, or set SOURCEBOOK_READER=off"
        )
    folder = read_embedding_folder(base.folder).model
    windows = PairWindows(WindowTokenizer(folder))
    weights = adapter.merged(read_weights(folder.path))
    computes = compile_graph(
        partial(reading_graph, folder, weights),
        folder.architecture.pad_token_id,
        _probes(windows),
        _agree,
        precision,
        max_tokens=MAX_TOKENS,
        eight_bit=partial(reading_graph, folder, weights, EightBitLayers),
        known=known_outputs(adapter.folder, adapter.sha256),
    )
    return _Loaded(windows, InferencePool(computes, micro_batch=BATCH_SIZE))


def _probes(windows: PairWindows) -> list[TokenWindow]:
    return [windows.windows(question, [passage])[0][0].tokens for question, passage in PROBES]


async def exact_scores(adapter: Adapter, base: LocatedModel) -> FloatArray:
    """Return what f32 makes of the probes, to be kept beside the adapter."""
    loaded = await asyncio.to_thread(_load, adapter, base, "f32")
    try:
        return np.stack(await loaded.pool.ask(_probes(loaded.windows)))
    finally:
        await asyncio.to_thread(loaded.pool.close)


def _agree(exact: FloatArray, fast: FloatArray) -> bool:
    # A part's score is the mean of its tokens', which swing more than that.
    deviation = np.abs(exact - fast)
    return bool(max(deviation[:, 0].mean(), deviation[:, 1:].mean()) <= MAX_DEVIATION)
