"""Reads the compressed files that `prepare` writes."""

import gzip
import json
from pathlib import Path


def read_lines(path: Path) -> list[dict]:
    """The objects of a compressed file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
