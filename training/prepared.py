"""Reads and writes compressed files of what is prepared, an object a line."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]
# The file of questions that nothing is trained on.
DEVELOPMENT = "development"
# The texts and passages for development, and their questions: no others are written for them.
ASIDE_FILE = "aside.json"
PASSAGES_FILE, EXAMPLES_FILE = "passages.jsonl.gz", "examples.jsonl.gz"
# What `training.write` makes of them.
TEXTS_FILE, QUESTIONS_FILE = "texts.jsonl.gz", "questions.jsonl.gz"
# What `training.score` makes of those.
SCORED_FILE = "pairs.jsonl.gz"
# Runs of texts with questions of our own on them.
RUNS_FILE = "runs.jsonl.gz"


def read_lines(path: Path) -> list[Line]:
    """The objects of a compressed file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def save_lines(path: Path, lines: Iterable[Line]) -> None:
    """Write objects as `read_lines` reads them."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)


def numbers_of(lines: Iterable[Line]) -> dict[int, int]:
    """The number of the line with each id."""
    return {line["id"]: number for number, line in enumerate(lines)}


def numbered(lines: Iterable[Line], first: int = 0) -> list[Line]:
    """The lines with numbers instead of their ids."""
    return [line | {"id": number} for number, line in enumerate(lines, first)]
