"""Fits the probability that a question is answered, with the questions kept aside."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sourcebook.core.readings import Calibration
from sourcebook.providers.readers.adapter import CARD_FILE
from training.books import development_books
from training.evaluate import Measured, measure, opened, report
from training.export import save_card, write_probes

Numbers = npt.NDArray[np.float64]

# Per standard deviation of a signal.
PENALTY = 0.001
ROUNDS = 50
# In the order of `Calibration`. No signal may speak against an answer. Near misses are as similar
# as answers, so that a fit on many of them would turn similarity round; what is about something
# else is less similar. They have all of the question's words too: those count for nothing.
LEAST = (-np.inf, 0.0, 0.0, 2.0, 0.0, 0.0)
# An answer where there is none is worse than a refusal: so many logits of doubt are added.
CAUTION = 0.7


async def calibrate(data: Path, adapter: Path) -> None:
    """Read with the adapter as the product does, fit, and write what was fitted beside it."""
    measured = {}
    async with opened(str(adapter)) as (reader, embedder):
        for book in development_books(data):
            measured[book.name] = await measure(book, reader, embedder)
    fitted = fit([one for some in measured.values() for one in some])
    card = json.loads((adapter / CARD_FILE).read_text(encoding="utf-8"))
    save_card(adapter, card | {"calibration": asdict(fitted)})
    await write_probes(adapter)
    print(fitted)
    for name, some in measured.items():
        print("\n".join(report(name, some, fitted)))


def fit(measured: Sequence[Measured]) -> Calibration:
    """A logistic fit; a signal that would get less than its least weight gets that.

    Those who are answered count as much as all others, and of these each kind the same.
    """
    signals = np.array([(1.0, *astuple(one.signals)) for one in measured])
    kinds = [one.asked.kind for one in measured]
    least = np.array(LEAST)
    free = signals.any(axis=0)
    while True:
        weights = np.where(free | ~np.isfinite(least), 0.0, least)
        weights[free] = _fitted(signals[:, free], signals[:, ~free] @ weights[~free], kinds)
        if (weights >= least).all():
            weights[0] -= CAUTION
            return Calibration(*(round(float(one), 4) for one in weights))
        free &= weights >= least


def _fitted(signals: Numbers, given: Numbers, kinds: Sequence[str]) -> Numbers:
    """The weights of the signals, beside what is `given` already."""
    spread = np.where(signals.std(axis=0) > 0, signals.std(axis=0), 1.0)
    scaled = signals / spread
    answered = np.array([kind == "answered" for kind in kinds], dtype=float)
    counts = _counts(kinds)
    weights = np.zeros(signals.shape[1])
    penalty = np.diag([0.0] + [PENALTY] * (signals.shape[1] - 1))
    for _ in range(ROUNDS):
        expected = 1 / (1 + np.exp(-np.clip(scaled @ weights + given, -30, 30)))
        gradient = scaled.T @ (counts * (expected - answered)) + penalty @ weights
        curvature = (scaled * (counts * expected * (1 - expected))[:, None]).T @ scaled + penalty
        weights -= np.linalg.solve(curvature, gradient)
    fitted: Numbers = weights / spread
    return fitted


def _counts(kinds: Sequence[str]) -> Numbers:
    sizes = Counter(kinds)
    others = len(sizes) - 1
    return np.array([0.5 / sizes[kind] / (1 if kind == "answered" else others) for kind in kinds])
