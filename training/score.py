"""Keeps what the language model makes of questions: `python -m training.score PREPARED MODEL OUT`.

Of those that `training.write` left in OUT, each with its own passage, and some with others that are
near.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import torch

from training.drawn_pairs import OTHERS, drawn_pairs
from training.language_reader import ChatRows, LanguageReader, tuned_reader
from training.mining import near
from training.network import sentence_scores
from training.pairs import Batch, PairTokenizer, Row, padded
from training.prepared import (
    PASSAGES_FILE,
    QUESTIONS_FILE,
    SCORED_FILE,
    TEXTS_FILE,
    Line,
    numbered,
    numbers_of,
    read_lines,
    save_lines,
)
from training.steps import SEED, WORKERS, moved_batch

# So many pairs are sorted by length, and so many tokens are read at once.
SORTED, TOKENS = 1_024, 48_000
MADE = "made"


class Batches(torch.utils.data.IterableDataset):
    """The pairs in batches of similar length, made by several workers."""

    def __init__(self, pairs: Sequence[Line], rows: ChatRows) -> None:
        self._pairs = pairs
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[list[int], Batch]]:
        worker = torch.utils.data.get_worker_info()
        first, stride = (worker.id, worker.num_workers) if worker else (0, 1)
        for start in range(first * SORTED, len(self._pairs), stride * SORTED):
            numbers = range(start, min(start + SORTED, len(self._pairs)))
            made = [(number, _row(self._rows, self._pairs[number])) for number in numbers]
            made.sort(key=lambda pair: len(pair[1][0]))
            for some in _batches(made):
                yield [number for number, _ in some], padded([row for _, row in some], "cpu")


def score_pairs(
    network: LanguageReader, pairs: Sequence[Line], batches: Batches, device: str, limit_s: float
) -> Iterator[Line]:
    """The pairs with what is made of them, as many as there is time for."""
    loader = torch.utils.data.DataLoader(
        batches, batch_size=None, num_workers=WORKERS, prefetch_factor=4
    )
    started = time.monotonic()
    for numbers, on_cpu in loader:
        batch = moved_batch(on_cpu, device)
        with torch.inference_mode():
            relevance, tokens = network(batch.ids, batch.types, batch.mask)
            answers = sentence_scores(tokens, batch.sentences, batch.count)
        for number, told, scores in zip(numbers, relevance.tolist(), answers.tolist(), strict=True):
            said = _said(scores, pairs[number]["first"])
            if said:
                yield pairs[number] | {"relevance": round(told, 2), "answers": said}
        if time.monotonic() - started > limit_s:
            break


def _row(rows: ChatRows, one: Line) -> Row:
    only = range(one["first"], one["last"] + 1) if one["cut"] else None
    (row,) = rows.rows(one["question"], [(one["passage"], only)], heading=one["heading"])
    return row


def _said(scores: Sequence[float], first: int) -> list[float]:
    """The scores of the sentences from the first one on, up to one that has none."""
    said = []
    for score in scores[first:]:
        if score == -torch.inf:
            break
        said.append(round(score, 2))
    return said


def _batches(made: Sequence[tuple[int, Row]]) -> Iterator[list[tuple[int, Row]]]:
    some: list[tuple[int, Row]] = []
    for one in made:
        if some and (len(some) + 1) * len(one[1][0]) > TOKENS:
            yield some
            some = []
        some.append(one)
    if some:
        yield some


def made_examples(questions: Sequence[Line], numbers: Mapping[int, int]) -> list[Line]:
    """Questions that were written, as what is near them is looked for."""
    return [
        {"kind": MADE, "passage": numbers[one["passage"]], "question": one["question"]}
        | {"answer": "", "shares": ()}
        for one in questions
    ]


def main() -> None:
    """Read, keep the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("prepared", "model", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--language-model", type=Path, required=True)
    parser.add_argument("--tuned", type=Path, required=True, help="what training.tune wrote")
    parser.add_argument(
        "--others", type=float, default=OTHERS, help="so many near ones for each question"
    )
    parser.add_argument("--limit-s", type=float, default=600)
    arguments = parser.parse_args()
    started = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lines = read_lines(arguments.prepared / PASSAGES_FILE)
    lines += read_lines(arguments.out / TEXTS_FILE)
    asked = made_examples(read_lines(arguments.out / QUESTIONS_FILE), numbers_of(lines))
    passages = PairTokenizer(arguments.model).passages(numbered(lines))
    found = near(asked, passages, arguments.model, device)
    pairs = drawn_pairs(found, lines, Random(SEED), arguments.others)
    network = tuned_reader(arguments.language_model, arguments.tuned, device)
    batches = Batches(pairs, ChatRows(arguments.language_model, lines))
    scored = list(score_pairs(network, pairs, batches, device, arguments.limit_s))
    save_lines(arguments.out / SCORED_FILE, scored)
    print(f"{len(scored)} of {len(pairs)} pairs in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
