"""Joins our questions on runs of passages with them: `python -m training.runs_of_passages OUT …`.

A run is some neighbouring passages of one documentation or article, and each of its questions was
written with all of them in view: what is missing is in none. The passages are made by
`packaged_docs` and `packaged_articles` and known by what they say; a run of which another version
says something else is left out.

What a search finds for a question beside its own text is kept in the same way: as runs of a single
passage, with the questions that it answers and those that it does not.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from training.prepared import (
    DEVELOPMENT,
    PASSAGES_FILE,
    RUNS_FILE,
    TEXTS_FILE,
    Line,
    read_lines,
    save_lines,
)

FOLDER = Path(__file__).with_name("runs")
FOUND = Path(__file__).with_name("found")
ASIDE_FOLDER, FOUND_FOLDER = "aside", "found"


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """A question on a run, and the sentences that answer it: the passage's place, and theirs."""

    question: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RunOfPassages:
    """Neighbouring passages by their numbers, and what is asked of them."""

    passages: tuple[int, ...]
    answered: tuple[RunQuestion, ...]
    missing: tuple[str, ...]


def key_of(text: str) -> str:
    """What a passage is known by."""
    return sha256(text.encode()).hexdigest()[:12]


def joined(written: Iterable[Line], known: Mapping[str, Line]) -> Iterator[tuple[Line, list[Line]]]:
    """Each run with its passages, if all of them are known."""
    for line in written:
        if all(key in known for key in line["passages"]):
            yield line, [known[key] for key in line["passages"]]


def read_run(line: Line, passages: Sequence[Line], first: int) -> RunOfPassages:
    """A run whose passages are numbered from `first`; its sentences are counted through."""
    places = [
        (place, sentence)
        for place, passage in enumerate(passages)
        for sentence in range(len(passage["sentences"]))
    ]
    answered = tuple(
        RunQuestion(question, tuple(places[number - 1] for number in numbers))
        for question, numbers in line["answered"]
    )
    numbers = tuple(range(first, first + len(passages)))
    return RunOfPassages(numbers, answered, tuple(line["missing"]))


def save_runs(written: Iterable[Line], known: Mapping[str, Line], out: Path) -> int:
    """Write the runs and their passages, and return how many there are."""
    texts: list[Line] = []
    runs = []
    for line, passages in joined(written, known):
        runs.append(asdict(read_run(line, passages, len(texts))))
        texts += passages
    out.mkdir(parents=True, exist_ok=True)
    save_lines(out / TEXTS_FILE, texts)
    save_lines(out / RUNS_FILE, runs)
    return len(runs)


def load_runs(folder: Path, first: int) -> list[RunOfPassages]:
    """What `save_runs` has written, with passages numbered from `first`."""
    return [
        RunOfPassages(
            tuple(first + number for number in line["passages"]),
            tuple(
                RunQuestion(
                    one["question"], tuple((place, number) for place, number in one["places"])
                )
                for one in line["answered"]
            ),
            tuple(line["missing"]),
        )
        for line in read_lines(folder / RUNS_FILE)
    ]


def written_runs(folder: Path = FOLDER, *, development: bool) -> Iterator[Line]:
    """The runs as they were written: those for training, or those for development."""
    for path in sorted(folder.glob("*.jsonl")):
        if (path.stem == DEVELOPMENT) == development:
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("passages", type=Path, nargs="+", help="what the passages were written to")
    arguments = parser.parse_args()
    made = [line for folder in arguments.passages for line in read_lines(folder / PASSAGES_FILE)]
    by_key = {key_of(line["text"]): line for line in made}
    for written, name in ((FOLDER, arguments.out), (FOUND, arguments.out / FOUND_FOLDER)):
        for aside, kept in ((False, name), (True, name / ASIDE_FOLDER)):
            runs = list(written_runs(written, development=aside))
            print(f"{kept}: {save_runs(runs, by_key, kept)} runs of {len(runs)}")
