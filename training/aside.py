"""Reads the questions kept aside, each with its own passage: which are told from the answered?"""

from collections.abc import Iterator, Sequence

import torch
from bench.classification import area

from training.network import ReaderNetwork
from training.pairs import PairTokenizer, Row, Tokens, in_batches
from training.questions import Line

BATCH = 256
Scores = list[list[float]]


def told_apart(
    network: ReaderNetwork,
    tokenizer: PairTokenizer,
    passages: Sequence[Tokens],
    cases: Sequence[Line],
    device: str,
) -> Iterator[str]:
    """For each set the AUC of the best statement's score, and how often it is a right one."""
    rows = [
        tokenizer.row(ids, passages[number])
        for case in cases
        for ids in tokenizer.ids(_questions(case))
        for number in case["passages"]
    ]
    scores = iter(_read(network, rows, device))
    best: dict[tuple[str, bool], list[float]] = {}
    right: dict[str, list[bool]] = {}
    for case in cases:
        name = case["set"]
        for place in range(len(_questions(case))):
            read = [next(scores) for _ in case["passages"]]
            score, *chosen = max(
                (score, passage, number)
                for passage, some in enumerate(read)
                for number, score in enumerate(some)
            )
            answered = place < len(case["answered"])
            best.setdefault((name, answered), []).append(score)
            if answered:
                right.setdefault(name, []).append(chosen in case["answered"][place]["right"])
    for name, some in right.items():
        auc = area(best[name, True], best[name, False])
        yield f"{name}: AUC {auc:.3f}, right statement {sum(some)} of {len(some)}"


def _questions(case: Line) -> list[str]:
    """All that is asked of a case, what it answers first."""
    return [*(one["question"] for one in case["answered"]), *case["missing"]]


@torch.inference_mode()
def _read(network: ReaderNetwork, rows: Sequence[Row], device: str) -> Scores:
    found: dict[int, list[float]] = {}
    for numbers, batch in in_batches(rows, BATCH):
        _, statements = network(batch.to(device))
        found |= dict(zip(numbers, statements.tolist(), strict=True))
    return [found[number] for number in range(len(rows))]
