"""Measures on the questions kept aside: `python -m training.told_apart PREPARED MODEL WEIGHTS`.

Each is read with its own passage alone: are those that it answers told from the others, and is the
best sentence the right one? With `--language-model` the weights are what `training.tune` wrote.
With `--runs` the same of runs of passages, all of which are read, as a book's are.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch
from bench.classification import area

from training.evaluate import read_rows, trained_reader
from training.language_model import LanguageModel
from training.language_reader import ChatRows, tuned_reader
from training.network import PairNetwork
from training.pairs import PairRows, PairTokenizer
from training.prepared import ASIDE_FILE, TEXTS_FILE, Line, read_lines
from training.runs_of_passages import ASIDE_FOLDER, FOUND_FOLDER, RunOfPassages, load_runs
from training.sources import ENCYCLOPAEDIA
from training.steps import Rows

BATCH = 64


def report(questions: Sequence[dict], readings: Sequence[tuple[float, list[float]]]) -> None:
    """Print how well the kinds are told apart, and how often the right sentence is the best."""
    best: dict[tuple[str, str], list[float]] = defaultdict(list)
    right: dict[str, list[bool]] = defaultdict(list)
    for one, (_, answers) in zip(questions, readings, strict=True):
        best[one["of"], one["kind"]].append(max(answers))
        if one["sentences"]:
            chosen = max(range(len(answers)), key=answers.__getitem__)
            right[one["of"]].append(chosen in one["sentences"])
    for (name, kind), scores in best.items():
        if kind != "answered":
            told = area(best[name, "answered"], scores)
            print(f"{name}: {kind} ({len(scores)}) told apart with AUC {told:.3f}")
    for name, some in right.items():
        print(f"{name}: right sentence {sum(some)} of {len(some)}")


def report_runs(
    name: str,
    runs: Sequence[RunOfPassages],
    texts: Sequence[Line],
    readings: Iterator[tuple[float, list[float]]],
) -> None:
    """Print the same of runs, by the best sentence of all passages."""
    best: dict[tuple[str, bool], list[float]] = defaultdict(list)
    right: dict[str, list[bool]] = defaultdict(list)
    for run in runs:
        is_article = texts[run.passages[0]]["corpus"] == ENCYCLOPAEDIA
        corpus = ENCYCLOPAEDIA if is_article else "documentation"
        for number in range(len(questions_of(run))):
            read = [next(readings)[1] for _ in run.passages]
            score, place, sentence = max(
                (score, place, sentence)
                for place, scores in enumerate(read)
                for sentence, score in enumerate(scores)
            )
            answered = number < len(run.answered)
            best[corpus, answered].append(score)
            if answered:
                right[corpus].append((place, sentence) in run.answered[number].places)
    for corpus, some in right.items():
        told = area(best[corpus, True], best[corpus, False])
        print(f"{name}, {corpus}: {len(best[corpus, False])} told apart with AUC {told:.3f}")
        print(f"{name}, {corpus}: right sentence {sum(some)} of {len(some)}")


def questions_of(run: RunOfPassages) -> list[str]:
    """All that is asked of a run, what it answers first."""
    return [*(one.question for one in run.answered), *run.missing]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("prepared", "model", "weights"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--language-model", type=Path)
    parser.add_argument("--runs", type=Path, help="what training.runs_of_passages wrote")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    aside = json.loads((arguments.prepared / ASIDE_FILE).read_text(encoding="utf-8"))
    network: PairNetwork | LanguageModel
    if arguments.language_model:
        network = tuned_reader(arguments.language_model, arguments.weights, device)
    else:
        network = trained_reader(arguments.model, arguments.weights).to(device).eval()
        network.merge()

    def rows_of(lines: Sequence[Line]) -> Rows:
        if arguments.language_model:
            return ChatRows(arguments.language_model, lines)
        return PairRows(arguments.model, PairTokenizer(arguments.model).passages(lines))

    def read(rows: Rows, asked: Iterable[tuple[str, int]]) -> list[tuple[float, list[float]]]:
        made = [rows.rows(text, [(place, None)], heading=True)[0] for text, place in asked]
        return read_rows(network, made, device, BATCH)

    questions = aside["questions"]
    asked = [(one["question"], one["passage"]) for one in questions]
    report(questions, read(rows_of(aside["passages"]), asked))
    if arguments.runs is None:
        return
    for name, made in (("runs", arguments.runs), ("found", arguments.runs / FOUND_FOLDER)):
        folder = made / ASIDE_FOLDER
        texts, runs = read_lines(folder / TEXTS_FILE), load_runs(folder, 0)
        asked = [
            (question, number)
            for run in runs
            for question in questions_of(run)
            for number in run.passages
        ]
        report_runs(name, runs, texts, iter(read(rows_of(texts), asked)))


if __name__ == "__main__":
    main()
