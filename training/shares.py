"""Reads which sentence of a passage answers from what each shares with the written answer."""

from collections.abc import Sequence

# Less of a lead may be chance.
MIN_LEAD = 0.1


def clear_sentence(shares: Sequence[float]) -> int | None:
    """The number of the sentence that answers; None if it is not clear which one does."""
    ranked = sorted(range(len(shares)), key=lambda place: -shares[place])
    if not ranked or (len(ranked) > 1 and shares[ranked[0]] - shares[ranked[1]] < MIN_LEAD):
        return None
    return ranked[0]
