"""From the start of a process to its first answer, with files in the disk cache."""

import subprocess
import sys
import time
from pathlib import Path

from bench.bundled_model import bundled_model
from bench.processes import PEER_BIN, PEERS
from bench.run import ROUNDS, Run
from bench.servers import serving, sourcebook
from bench.table import Goal, Row, each, ratios
from bench.texts import read_texts

QUESTION = {"collection": "bench", "query": "How does a robot know where it is?", "top_k": 3}


def measure(run: Run) -> list[Row]:
    """Each starts once unmeasured, which also fills the disk cache."""
    folder = run.folder / "ours"
    _fill(folder)
    rounds = [
        (_ours_s(folder), _theirs_s(run.folder / "theirs"), _help_s()) for _ in range(ROUNDS + 1)
    ]
    ours_s, theirs_s, help_s = ([*taken] for taken in zip(*rounds[1:], strict=True))
    return [
        Row(
            "start to first answer, warm disk",
            ours_s,
            Goal("<=", 4, "s"),
            "s",
            ours=each(ours_s, "s"),
            theirs=each(theirs_s, "s"),
        ),
        Row("the same, as a ratio", ratios(ours_s, theirs_s)),
        Row("`sourcebook --help`", help_s, Goal("<=", 0.5, "s"), "s", ours=each(help_s, "s")),
    ]


def _fill(folder: Path) -> None:
    with sourcebook(folder) as server:
        server.post("/collections", {"name": "bench", "embedding_model": "minilm"})
        documents = [{"text": text} for text in read_texts(100, 1).chunks]
        server.post("/collections/bench/documents", {"documents": documents})


def _ours_s(folder: Path) -> float:
    started_s = time.perf_counter()
    with sourcebook(folder) as server:
        server.post("/query", QUESTION)
        return time.perf_counter() - started_s


def _theirs_s(folder: Path) -> float:
    folder.mkdir(exist_ok=True)
    script = [str(PEER_BIN / "python"), str(PEERS / "minimal_server.py")]
    started_s = time.perf_counter()
    with serving([*script, str(bundled_model().folder)], folder, "/openapi.json") as server:
        server.post("/query", QUESTION)
        return time.perf_counter() - started_s


def _help_s() -> float:
    command = [str(Path(sys.executable).parent / "sourcebook"), "--help"]
    started_s = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, timeout=30)  # noqa: S603
    return time.perf_counter() - started_s
