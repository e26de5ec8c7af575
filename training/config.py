"""All numbers of a training, in one value that can be named by its hash."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Config:
    """What is drawn for a step, how long and how fast is trained, and from which seed."""

    seed: int = 16
    steps: int = 1_200
    warm_up: int = 100
    # The low-rank changes; the heads; norms, biases and token types.
    low_rank_rate: float = 7e-4
    head_rate: float = 1e-3
    other_rate: float = 1e-4
    rank: int = 80
    head_width: int = 32
    dropout: float = 0.1
    # So many cases of each question set are drawn for a step.
    per_step: Mapping[str, int] = field(
        default_factory=lambda: {"written": 10, "asked": 10, "runs": 8, "found": 48}
    )
    # Of a case so many questions that it answers, and so many that it does not.
    questions: int = 6
    # An answered question is read with its own passage and so many that do not answer it.
    wrong: int = 3
    # Some rows have only a part of the passage, or no heading: nobody's passages are cut alike.
    cut_share: float = 0.3
    heading_share: float = 0.6

    @property
    def sha256(self) -> str:
        """What these numbers are known by."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def read_config(path: Path | None) -> Config:
    """The numbers of a file, the usual ones for all that it does not name."""
    return Config() if path is None else Config(**json.loads(path.read_text(encoding="utf-8")))
