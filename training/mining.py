"""Finds the wrong passages that look right: what the embedder puts near a question."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.network import ReaderNetwork, load_base
from training.pairs import PairTokenizer, TokenizedPassage, padded, read_prepared
from training.sources import HELD_OUT_CORPORA

NEAREST = 24
# A question that a machine wrote and that does not lead to its own passage says too little, or is
# about something else.
MAX_OWN_RANK = 60
MACHINE_WRITTEN = frozenset({"question", "statement", "typed"})
# A passage that holds so much of the answer's words may answer too.
MAX_ANSWER_SHARE = 0.75
MAX_NEIGHBOUR_DISTANCE = 2
EMBEDDING_BATCH = 512


@dataclass(frozen=True, slots=True)
class MinedExample:
    """An example, the passages near it that do not answer, and those beside its own.

    `rank` is the place of its own passage among all of its documentation.
    """

    kind: str
    question: str
    passage: int
    shares: tuple[float, ...]
    nearest: tuple[int, ...]
    beside: tuple[int, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class Mined:
    """Passages, and the examples with what is near them."""

    passages: Sequence[TokenizedPassage]
    examples: Sequence[MinedExample]


class Embedder:
    """Embeds as the bundled model does: the mean of the last layer's states."""

    def __init__(self, tensors: dict[str, Tensor], tokenizer: PairTokenizer, device: str) -> None:
        self._network = ReaderNetwork(tensors, rank=1).to(device).eval()
        self._tokenizer = tokenizer
        self._device = device

    @torch.inference_mode()
    def embed(self, texts: Sequence[Sequence[int]], max_tokens: int = 256) -> Tensor:
        """A unit vector for each text."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = torch.zeros(len(texts), 384)
        for start in range(0, len(order), EMBEDDING_BATCH):
            some = order[start : start + EMBEDDING_BATCH]
            rows = []
            for number in some:
                ids = [
                    self._tokenizer.first,
                    *texts[number][: max_tokens - 2],
                    self._tokenizer.separator,
                ]
                rows.append((ids, [0] * len(ids), [-1] * len(ids)))
            batch = padded(rows, self._device)
            with torch.autocast(self._device, torch.bfloat16):
                hidden = self._network.encode(batch.ids, batch.types, batch.mask).float()
            weight = batch.mask.float()[:, :, None]
            mean = (hidden * weight).sum(1) / weight.sum(1)
            vectors[some] = torch.nn.functional.normalize(mean, dim=1).cpu()
        return vectors

    def embed_passages(self, passages: Sequence[TokenizedPassage]) -> Tensor:
        """A unit vector for each passage with its heading."""
        return self.embed([(*one.heading, *one.ids) for one in passages])


def mined(prepared: Path, model: Path, device: str) -> Mined:
    """The prepared examples with what is near them."""
    passages, written = read_prepared(prepared, PairTokenizer(model))
    used = [one for one in written if passages[one["passage"]].corpus not in HELD_OUT_CORPORA]
    return Mined(passages, near(used, passages, model, device))


def near(
    examples: Sequence[dict], passages: Sequence[TokenizedPassage], model: Path, device: str
) -> list[MinedExample]:
    """Embed the passages, and find those that are near the examples."""
    started, tokenizer = time.monotonic(), PairTokenizer(model)
    embedder = Embedder(load_base(model), tokenizer, device)
    vectors = embedder.embed_passages(passages)
    found = mine(examples, passages, vectors, embedder, tokenizer)
    print(f"{len(found)} examples mined in {time.monotonic() - started:.0f} s", flush=True)
    return found


def mine(
    examples: Sequence[dict],
    passages: Sequence[TokenizedPassage],
    vectors: Tensor,
    embedder: Embedder,
    tokenizer: PairTokenizer,
) -> list[MinedExample]:
    """Examples with the passages that are near them."""
    by_corpus: dict[str, list[int]] = defaultdict(list)
    by_place: dict[tuple[str, str, int], int] = {}
    for one in passages:
        by_corpus[one.corpus].append(one.id)
        by_place[one.corpus, one.document, one.order] = one.id
    words = [frozenset(one.ids) for one in passages]
    common = _common_ids(words)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, example in enumerate(examples):
        groups[passages[example["passage"]].corpus].append(number)
    found: list[MinedExample] = []
    for corpus, numbers in groups.items():
        ids = np.array(by_corpus[corpus])
        asked = embedder.embed(tokenizer.ids([examples[n]["question"] for n in numbers]))
        similar = asked @ vectors[ids].T
        top = similar.topk(min(MAX_OWN_RANK, len(ids)), dim=1)
        for row, number in enumerate(numbers):
            example = examples[number]
            nearest = [int(ids[place]) for place in top.indices[row].tolist()]
            own = example["passage"]
            missed = example["kind"].endswith("_miss")
            part = example["other"] if missed else example["answer"]
            wanted = frozenset(tokenizer.ids([part])[0]) - common

            def answers(other: int, wanted: frozenset[int] = wanted) -> bool:
                return len(wanted & words[other]) >= MAX_ANSWER_SHARE * max(1, len(wanted))

            place = passages[own]
            beside = [
                other
                for distance in range(-MAX_NEIGHBOUR_DISTANCE, MAX_NEIGHBOUR_DISTANCE + 1)
                if distance
                and (other := by_place.get((corpus, place.document, place.order + distance)))
                is not None
                and not answers(other)
            ]
            rank = nearest.index(own) if own in nearest else MAX_OWN_RANK
            if rank == MAX_OWN_RANK and example["kind"] in MACHINE_WRITTEN:
                continue
            hard = [other for other in nearest if other != own and not answers(other)][:NEAREST]
            found.append(
                MinedExample(
                    example["kind"],
                    example["question"],
                    own,
                    tuple(example["shares"]),
                    tuple(hard),
                    tuple(beside),
                    rank,
                )
            )
    return found


def _common_ids(words: Sequence[frozenset[int]]) -> frozenset[int]:
    """The ids that stand in a fifth of all passages: they say nothing about an answer."""
    counts: dict[int, int] = defaultdict(int)
    for some in words:
        for one in some:
            counts[one] += 1
    return frozenset(one for one, count in counts.items() if count > len(words) / 5)
