"""The OpenVINO judge: an NLI or groundedness classifier of the BERT family, on the CPU."""

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from sourcebook.core.claims import ClaimPair
from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.readings import logistic
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.errors import foreign_errors_as
from sourcebook.providers.inference.json_file import read_object
from sourcebook.providers.inference.local_models import JUDGE, LocatedModel, open_local_model
from sourcebook.providers.inference.openvino_runtime import Precision
from sourcebook.providers.inference.pair_model import PairModel, read_pair_folder
from sourcebook.providers.judges.local_provider import LocalJudgeSettings
from sourcebook.providers.judges.thresholds import own_threshold

# As NLI models and groundedness models call it.
BORNE = ("entailment", "supported")
# What a model has if nobody named them. Of two, the second is what it was trained to find.
_UNNAMED: Mapping[str, object] = {"0": "LABEL_0", "1": "LABEL_1"}


class OpenVinoJudge:
    """Judges with the best window of a long premise. A claim too long to read is not borne."""

    def __init__(
        self, model: PairModel, label: int, separators: int | None, threshold: float
    ) -> None:
        self.name = model.name
        self.threshold = threshold
        self._model = model
        self._label = label
        self._separators = separators

    async def judge(self, pairs: Sequence[ClaimPair]) -> list[float]:
        """Return the probability of each pair, in order."""
        if not pairs:
            return []
        texts = [(pair.premise, pair.claim) for pair in pairs]
        with foreign_errors_as(Unavailable, f"Judging with {self.name!r} failed"):
            groups = await self._model.logits(
                lambda cutter: cutter.claim_windows(texts, self._separators)
            )
            return [
                max((_probability(row.tolist(), self._label) for row in group), default=0.0)
                for group in groups
            ]

    async def check(self) -> ServiceHealth:
        """Report the model up until it is closed."""
        return await self._model.check()

    def close(self) -> None:
        """End the threads, after the batches that are being computed."""
        self._model.close()


def open_openvino_judge(
    settings: LocalJudgeSettings, opening: Opening, *, precision: Precision | None = None
) -> AbstractAsyncContextManager[OpenVinoJudge]:
    """Load a judge while the context lasts."""

    def load(model: LocatedModel) -> OpenVinoJudge:
        folder = read_pair_folder(model)
        names = read_object(folder.model.path / "config.json").table("id2label").fields
        label = _borne_label(names, folder.labels, settings.label, model.name)
        threshold = own_threshold(model.folder)
        return OpenVinoJudge(folder.load(precision), label, settings.separators, threshold)

    return open_local_model(settings.path, opening, load, JUDGE)


def _borne_label(names: Mapping[str, object], count: int, wanted: str | None, model: str) -> int:
    """Return the number of the label, of those that config.json names; ConfigurationError."""
    if count == 1:
        return 0
    known: dict[str, int] = {
        str(name).strip().lower(): int(number)
        for number, name in (names or _UNNAMED).items()
        if number.isdecimal() and int(number) < count
    }
    usual = (*BORNE, "label_1") if count == 2 and "label_0" in known else BORNE
    for name in usual if wanted is None else (wanted.strip().lower(),):
        if name in known:
            return known[name]
    problem = "none is known to mean that a claim is borne"
    if wanted is not None:
        problem = f"{wanted!r} is none of them"
    raise ConfigurationError(
        f"Model {model!r} gives {count} labels, {list(known)}, and {problem}. Name the one that"
        ' means it: SOURCEBOOK_JUDGE_CONFIG={"label": "..."}'
    )


def _probability(logits: Sequence[float], label: int) -> float:
    """Return how likely a label is; a single one is yes or no."""
    if len(logits) == 1:
        return logistic(logits[0])
    highest = max(logits)
    shares = [math.exp(logit - highest) for logit in logits]
    return shares[label] / sum(shares)
