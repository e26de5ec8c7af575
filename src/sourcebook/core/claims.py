"""What a judge is asked: whether a premise bears a claim, and from which probability on it does."""

import math
from dataclasses import dataclass

# Of a judge that nobody has measured; models are rarely as sure as that of what is false.
DEFAULT_JUDGE_THRESHOLD = 0.98
# Of a judge that cannot tell claims apart: no probability reaches it.
NOTHING_PASSES = math.inf


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim, and the text that it is said to come from."""

    premise: str
    claim: str
