"""Finds the passages that look right to the model before it is trained, and do not answer."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from training.network import ReaderNetwork
from training.pairs import PairTokenizer, Row, Tokens, in_batches
from training.questions import Line

NEAREST = 24
BATCH = 512
# A passage that has so many of the answer's rarer words may answer too.
MAX_SHARE = 0.75
# A word in so many of all passages is not rare.
COMMON = 0.2


def near_passages(
    network: ReaderNetwork,
    tokenizer: PairTokenizer,
    passages: Sequence[Tokens],
    cases: Sequence[Line],
    device: str,
) -> list[list[tuple[int, ...]]]:
    """For each case and each question that it answers, the nearest passages of its corpus."""
    asked = [one["question"] for case in cases for one in case["answered"]]
    vectors = embed(
        network, [tokenizer.alone((*one.heading, *one.ids)) for one in passages], device
    )
    questions = embed(network, [tokenizer.alone(one) for one in tokenizer.ids(asked)], device)
    pools: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(passages):
        if not one.aside:
            pools[one.corpus].append(number)
    words = _rare_words(passages)
    found, first = [], 0
    for case in cases:
        own = questions[first : first + len(case["answered"])]
        first += len(own)
        pool = pools[passages[case["passages"][0]].corpus]
        order = (own @ vectors[pool].T).topk(min(3 * NEAREST, len(pool))).indices.tolist()
        wanted = (_answer(passages, case, one) for one in case["answered"])
        found.append(
            [
                _others([pool[place] for place in some], case, words, answer)
                for some, answer in zip(order, wanted, strict=True)
            ]
        )
    return found


@torch.inference_mode()
def embed(network: ReaderNetwork, rows: Sequence[Row], device: str) -> Tensor:
    """A unit vector for each row, as the model embeds that the reader stands on."""
    vectors = torch.zeros(len(rows), network.words.shape[1])
    for numbers, batch in in_batches(rows, BATCH):
        with torch.autocast(device, torch.bfloat16):
            _, mean = network.encode(batch.to(device))
        vectors[numbers] = functional.normalize(mean.float(), dim=1).cpu()
    return vectors


def _others(
    nearest: Sequence[int], case: Line, words: Sequence[frozenset[int]], answer: frozenset[int]
) -> tuple[int, ...]:
    """Those that are not the case's own, and have too few of the answer's words to say it."""
    rare = answer & frozenset().union(*(words[number] for number in case["passages"]))
    enough = MAX_SHARE * max(1, len(rare))
    wrong = [
        number
        for number in nearest
        if number not in case["passages"] and len(rare & words[number]) < enough
    ]
    return tuple(wrong[:NEAREST])


def _answer(passages: Sequence[Tokens], case: Line, asked: Line) -> frozenset[int]:
    """The words of the statements that answer."""
    right = {(case["passages"][place], statement) for place, statement in asked["right"]}
    return frozenset(
        token
        for number, statement in right
        for token, of in zip(passages[number].ids, passages[number].statements, strict=True)
        if of == statement
    )


def _rare_words(passages: Sequence[Tokens]) -> list[frozenset[int]]:
    """The words of each passage that most others do not have."""
    words = [frozenset(one.ids) for one in passages]
    counts = Counter(word for some in words for word in some)
    common = {word for word, count in counts.items() if count > COMMON * len(passages)}
    return [some - common for some in words]
