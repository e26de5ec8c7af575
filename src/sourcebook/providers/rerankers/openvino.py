"""The OpenVINO cross-encoder: runs a BERT-family model folder on the CPU, without torch."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeAlias

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.readings import logistic
from sourcebook.core.statistics import QueueLength
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.json_file import read_object, read_optional_object
from sourcebook.providers.inference.local_models import (
    CROSS_ENCODER,
    LocatedModel,
    open_local_model,
)
from sourcebook.providers.inference.model_folder import USE_THE_EXTRA
from sourcebook.providers.inference.openvino_runtime import Precision
from sourcebook.providers.inference.pair_model import PairModel, read_pair_folder
from sourcebook.providers.rerankers.local_provider import LocalRerankerSettings

Activation: TypeAlias = Callable[[float], float]


class OpenVinoCrossEncoder:
    """Scores on threads of its own. A long text counts with its best window."""

    def __init__(self, model: PairModel, activation: Activation) -> None:
        self.name = model.name
        self._model = model
        self._activation = activation

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text; higher is better."""
        if not texts:
            return []
        with foreign_errors_as(Unavailable, f"Reranking with {self.name!r} failed"):
            groups = await self._model.logits(lambda cutter: cutter.pair_windows(query, texts))
            return [self._activation(max(float(row[0]) for row in group)) for group in groups]

    @property
    def queue(self) -> QueueLength:
        """How much waits for the model."""
        return self._model.queue

    async def check(self) -> ServiceHealth:
        """Report the model up until it is closed."""
        return await self._model.check()

    def close(self) -> None:
        """End the threads, after the batches that are being computed."""
        self._model.close()


def open_openvino_cross_encoder(
    settings: LocalRerankerSettings, opening: Opening, *, precision: Precision | None = None
) -> AbstractAsyncContextManager[OpenVinoCrossEncoder]:
    """Load a cross-encoder while the context lasts."""

    def load(model: LocatedModel) -> OpenVinoCrossEncoder:
        return _load(model, precision)

    return open_local_model(settings.path, opening, load, CROSS_ENCODER)


def _load(model: LocatedModel, precision: Precision | None) -> OpenVinoCrossEncoder:
    activation = _read_activation(model.folder)
    found = read_pair_folder(model)
    if found.labels != 1:
        raise ConfigurationError(
            f"{found.model.path} gives {found.labels} labels for a pair, and a reranker must give"
            " one score. Choose a cross-encoder that was trained for ranking"
        )
    return OpenVinoCrossEncoder(found.load(precision), activation)


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
