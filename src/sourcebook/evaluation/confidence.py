"""How sure a mean is: bootstrap intervals, and a paired permutation test of a difference.

Questions of one conversation are drawn, and exchanged, together: they are not independent.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

SAMPLES = 5_000
SEED = 1
# Of numbers that are held at once: about 16 MB.
MAX_HELD = 2_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval."""

    value: float
    low: float
    high: float


def estimate(values: Sequence[float], conversations: Sequence[str]) -> Estimate:
    """Return the mean of the values and its interval; the same numbers in every run."""
    from scipy import stats  # noqa: PLC0415

    sums, counts = _by_conversation(values, conversations)
    mean = sum(sums) / sum(counts)
    if len(sums) == 1:
        return Estimate(mean, mean, mean)
    found = stats.bootstrap(
        (sums, counts),
        lambda sums, counts, axis: sums.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=SAMPLES,
        batch=max(1, MAX_HELD // len(sums)),
        rng=SEED,
    ).confidence_interval
    return Estimate(mean, float(found.low), float(found.high))


def p_value(differences: Sequence[float], conversations: Sequence[str]) -> float:
    """Return how likely so great a mean difference is if both sides are equally good."""
    from scipy import stats  # noqa: PLC0415

    sums, _ = _by_conversation(differences, conversations)
    if len(sums) == 1 or not any(sums):
        return 1.0
    found = stats.permutation_test(
        (sums,),
        lambda sums, axis: sums.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=SAMPLES,
        batch=max(1, MAX_HELD // len(sums)),
        rng=SEED,
    )
    return float(found.pvalue)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so large a share of them does not exceed; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _by_conversation(
    values: Sequence[float], conversations: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Return the sum and the number of the values of each conversation."""
    sums: dict[str, float] = defaultdict(float)
    counts: dict[str, float] = defaultdict(float)
    for value, conversation in zip(values, conversations, strict=True):
        sums[conversation] += value
        counts[conversation] += 1
    return list(sums.values()), list(counts.values())
