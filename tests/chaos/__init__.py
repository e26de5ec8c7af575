"""Crashes, failures and crowds: what must hold whatever happens. SOURCEBOOK_LONG=1 tries harder."""

import os
import random

LONG = os.environ.get("SOURCEBOOK_LONG") == "1"


def dice(seed: int) -> random.Random:
    """Chance that comes out the same in every run."""
    return random.Random(seed)  # noqa: S311 - nothing is kept secret by it
