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

from training.evaluate import trained_reader
from training.language_model import LanguageModel
from training.language_reader import ChatRows, tuned_reader
from training.network import PairNetwork, sentence_scores
from training.pairs import PairRows, PairTokenizer, padded
from training.prepared import ASIDE_FILE
from training.steps import Rows

BATCH = 64


@torch.inference_mode()
def read(
    network: PairNetwork | LanguageModel, rows: Rows, questions: Sequence[dict], device: str
) -> list[tuple[float, list[float]]]:
    """The relevance of each question's passage, and the scores of its sentences."""
    made = [
        rows.rows(one["question"], [(one["passage"], None)], heading=True)[0] for one in questions
    ]
    order = sorted(range(len(made)), key=lambda number: len(made[number][0]))
    found: dict[int, tuple[float, list[float]]] = {}
    for start in range(0, len(order), BATCH):
        some = order[start : start + BATCH]
        batch = padded([made[number] for number in some], device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            relevance, tokens = network(batch.ids, batch.types, batch.mask)
        answers = sentence_scores(tokens.float(), batch.sentences, batch.count)
        found |= dict(
            zip(some, zip(relevance.tolist(), answers.tolist(), strict=True), strict=True)
        )
    return [found[number] for number in range(len(made))]


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
    report(aside["questions"], read(network, rows, aside["questions"], device))


if __name__ == "__main__":
    main()
