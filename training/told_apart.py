"""Measures on the questions kept aside: `python -m training.told_apart PREPARED MODEL WEIGHTS`.

Each is read with its own passage alone: are those that it answers told from the others, and is the
best sentence the right one? With `--language-model` the weights are what `training.tune` wrote.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import torch
from bench.classification import area

from training.evaluate import read_rows, trained_reader
from training.language_model import LanguageModel
from training.language_reader import ChatRows, tuned_reader
from training.network import PairNetwork
from training.pairs import PairRows, PairTokenizer
from training.prepared import ASIDE_FILE
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


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("prepared", "model", "weights"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--language-model", type=Path)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    aside = json.loads((arguments.prepared / ASIDE_FILE).read_text(encoding="utf-8"))
    network: PairNetwork | LanguageModel
    rows: Rows
    if arguments.language_model:
        network = tuned_reader(arguments.language_model, arguments.weights, device)
        rows = ChatRows(arguments.language_model, aside["passages"])
    else:
        network = trained_reader(arguments.model, arguments.weights).to(device).eval()
        network.merge()
        passages = PairTokenizer(arguments.model).passages(aside["passages"])
        rows = PairRows(arguments.model, passages)
    questions = aside["questions"]
    asked = [
        row
        for one in questions
        for row in rows.rows(one["question"], [(one["passage"], None)], heading=True)
    ]
    report(questions, read_rows(network, asked, device, BATCH))


if __name__ == "__main__":
    main()
