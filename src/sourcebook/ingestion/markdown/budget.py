"""How large a chunk may be."""

from dataclasses import dataclass

# A monster of a word can be a single token; nobody wants it in one chunk all the same.
MAX_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Sizes in tokens; no chunk is over `limit`, its overlap included."""

    target: int = 400
    limit: int = 460
    smallest: int = 100
    overlap: int = 60  # 15 % of target
