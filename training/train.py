"""Trains the reader: `python -m training.train PREPARED MODEL OUT`."""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from training.mining import Embedder, MinedExample, mine
from training.network import RANK, PairNetwork, ReaderNetwork, sentence_scores
from training.pairs import Batch, PairTokenizer, TokenizedPassage, padded, read_prepared
from training.sources import HELD_OUT_CORPORA
from training.teacher import TeacherNetwork, trained_teacher
from training.wording import reworded

SEED = 16
STEPS = 1500
WARM_UP = 100
# Of each step: how many get a list of passages each, and how many are unanswered.
LISTED = {"question": 52, "statement": 8, "typed": 4, "written": 20, "asked": 24}
UNANSWERED = {"near_miss": 40, "typed_miss": 12}
LISTS = sum(LISTED.values())
PASSAGES = 8
# Of each step: texts whose own questions are told apart, and how many of them answered and not.
GROUPS = {"written": 8, "asked": 8}
ASKED = 6
NEAREST_SHARE, BESIDE_SHARE = 4, 2
HEADING_SHARE = 0.6
# How often only some neighbouring sentences of a passage are read.
CUT_SHARE = 0.3
# Of a longer passage only some sentences are read, so that the one that answers is among them.
WHOLE_TOKENS = 320
# How sharply the sentences are told apart by what they share with the answer.
SHARE_TEMPERATURE = 0.08
LOW_RANK_RATE, HEAD_RATE, OTHER_RATE = 7e-4, 1e-3, 1e-4
# How fast a reader goes on that was trained before, beside one that begins.
GOING_ON = 0.5
# How much a plain yes or no counts beside the choice from a list.
YES_NO_WEIGHT = 0.5
NEAR_MISS_WEIGHT = 0.3
GROUP_WEIGHT = 0.7
# Beside a teacher: how much the data counts, and in the lesson each score for itself.
DATA_WEIGHT = 0.5
EACH_WEIGHT = 3.0
# A step is read in so many parts of similar length, so that little is padding.
PARTS = 6
WORKERS = max(1, min(14, (os.cpu_count() or 2) - 2))
Row = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Step:
    """The rows of a step in parts, the place of each row, and what is right in the lists."""

    parts: list[Batch]
    places: Tensor
    shares: Tensor


class Lists(torch.utils.data.IterableDataset):
    """Steps of lists: for each question its own passage first, then wrong ones; near misses."""

    def __init__(
        self,
        examples: Sequence[MinedExample],
        passages: Sequence[TokenizedPassage],
        model: Path,
        steps: int,
        seed: int = SEED,
    ) -> None:
        self._of_kind = {
            kind: [one for one in examples if one.kind == kind] for kind in (*LISTED, *UNANSWERED)
        }
        self._groups = {kind: _groups_of_texts(examples, kind) for kind in GROUPS}
        self._passages = passages
        self._model = model
        self.steps = steps
        self._seed = seed
        self._ids = [one.id for one in passages if one.corpus not in HELD_OUT_CORPORA]

    def __iter__(self) -> Iterator[Step]:
        worker = torch.utils.data.get_worker_info()
        first, stride = (worker.id, worker.num_workers) if worker else (0, 1)
        tokenizer = PairTokenizer(self._model)
        for step in range(first, self.steps, stride):
            yield self._step(Random(self._seed * 1_000_003 + step), tokenizer)

    def _step(self, random: Random, tokenizer: PairTokenizer) -> Step:
        rows: list[Row] = []
        shares = []
        for example in self._drawn(LISTED, random):
            rows += self._rows(example, self._list(example, random), random, tokenizer)
            shares.append(example.shares)
        for example in self._drawn(UNANSWERED, random):
            # Another passage may answer what was made for one alone.
            near = example.nearest[:6] if example.kind == "near_miss" else ()
            other = random.choice(near) if near and random.random() < 0.4 else example.passage
            rows += self._rows(example, [other], random, tokenizer)
        groups = [
            group
            for kind, count in GROUPS.items()
            for group in random.sample(self._groups[kind], count)
        ]
        for example in [one for group in groups for one in random.sample(group[0], ASKED)]:
            rows += self._rows(example, [example.passage], random, tokenizer)
            shares.append(example.shares)
        for example in [one for group in groups for one in random.sample(group[1], ASKED)]:
            rows += self._rows(example, [example.passage], random, tokenizer)
        order = sorted(range(len(rows)), key=lambda number: len(rows[number][0]))
        size = -(-len(order) // PARTS)
        parts = [
            padded([rows[number] for number in order[start : start + size]], "cpu")
            for start in range(0, len(order), size)
        ]
        return Step(parts, torch.tensor(order).argsort(), _filled(shares))

    def _drawn(self, counts: dict[str, int], random: Random) -> Iterator[MinedExample]:
        for kind, count in counts.items():
            yield from random.sample(self._of_kind[kind], count)

    def _list(self, example: MinedExample, random: Random) -> list[int]:
        nearest = random.sample(example.nearest, min(NEAREST_SHARE, len(example.nearest)))
        beside = random.sample(example.beside, min(BESIDE_SHARE, len(example.beside)))
        wrong = list(dict.fromkeys([*beside, *nearest]))
        while len(wrong) < PASSAGES - 1:
            wrong.append(random.choice(self._ids))
        return [example.passage, *wrong[: PASSAGES - 1]]

    def _rows(
        self,
        example: MinedExample,
        numbers: Sequence[int],
        random: Random,
        tokenizer: PairTokenizer,
    ) -> list[Row]:
        question = tokenizer.ids([reworded(example.question, random)])[0]
        heading = random.random() < HEADING_SHARE
        cut = random.random() < CUT_SHARE
        rows = []
        for number in numbers:
            passage = self._passages[number]
            only = _window(passage.count, example, number, random) if cut else None
            if only is None and len(passage.ids) > WHOLE_TOKENS:
                only = _fitting(passage, _kept(passage.count, example, number, random))
            rows.append(tokenizer.row(question, passage, heading=heading, only=only))
        return rows


Group = tuple[list[MinedExample], list[MinedExample]]


def _groups_of_texts(examples: Sequence[MinedExample], kind: str) -> list[Group]:
    """The questions of a kind for each text: those it answers, and those it does not."""
    missed = f"{kind}_miss"
    groups: dict[int, Group] = {}
    for one in examples:
        if one.kind in {kind, missed}:
            groups.setdefault(one.passage, ([], []))[one.kind == missed].append(one)
    return [one for one in groups.values() if min(map(len, one)) >= ASKED]


def _window(count: int, example: MinedExample, number: int, random: Random) -> range | None:
    """Some neighbouring sentences; of the right passage always with the one that answers."""
    own = number == example.passage and example.kind in LISTED
    if count < 3 or (own and not example.shares):
        return None
    kept = _kept(count, example, number, random)
    return range(random.randint(0, kept), random.randint(kept, count - 1) + 1)


def _kept(count: int, example: MinedExample, number: int, random: Random) -> int:
    """The sentence that must be read: of the right passage the one that answers."""
    if number == example.passage and example.kind in LISTED and example.shares:
        return max(range(count), key=example.shares.__getitem__)
    return random.randrange(max(1, count))


def _fitting(passage: TokenizedPassage, kept: int) -> range:
    """As many sentences around one as can be read at once, those before it first."""
    lengths = Counter(passage.sentences)
    first, after, left = kept, kept + 1, WHOLE_TOKENS - lengths[kept]
    while first > 0 and lengths[first - 1] <= left // 2:
        first -= 1
        left -= lengths[first]
    while after < passage.count and lengths[after] <= left:
        left -= lengths[after]
        after += 1
    return range(first, after)


def _filled(shares: Sequence[Sequence[float]]) -> Tensor:
    filled = torch.zeros(len(shares), max(1, *map(len, shares)))
    for number, some in enumerate(shares):
        filled[number, : len(some)] = torch.tensor(some)
    return filled


@dataclass(frozen=True, slots=True)
class Scores:
    """What a network makes of the rows of a step: their relevance, and each of their sentences."""

    relevance: Tensor
    answers: Tensor


def read_step(network: PairNetwork, step: Step) -> Scores:
    """Read all rows, in the order in which they were drawn."""
    network.merge()
    read = [network(one.ids, one.types, one.mask) for one in step.parts]
    count = max(one.count for one in step.parts)
    answers = [
        sentence_scores(tokens, part.sentences, count)
        for (_, tokens), part in zip(read, step.parts, strict=True)
    ]
    return Scores(torch.cat([one for one, _ in read])[step.places], torch.cat(answers)[step.places])


def loss_of(scores: Scores, step: Step) -> Tensor:
    """How wrong the relevance of the lists and the answers of their sentences are."""
    relevance, answers = scores.relevance, scores.answers
    listed = LISTS * PASSAGES
    lists = relevance[:listed].view(-1, PASSAGES)
    choice = -functional.log_softmax(lists, 1)[:, 0].mean()
    yes_no = functional.softplus(-lists[:, 0]).mean() + functional.softplus(lists[:, 1:]).mean()
    grouped = listed + sum(UNANSWERED.values())
    missed = functional.softplus(relevance[listed:grouped]).mean()
    of_lists = answers[:listed].view(len(lists), PASSAGES, -1)
    sentence, said = _right_sentences(of_lists[:, 0], step.shares[:LISTS])
    best = of_lists[:, 1:].max(2).values
    unsaid = functional.softplus(best[best.isfinite()]).mean()
    near = answers[listed:grouped].max(1).values
    unsaid_near = functional.softplus(near[near.isfinite()]).mean()
    return (
        choice
        + YES_NO_WEIGHT * yes_no
        + NEAR_MISS_WEIGHT * (missed + unsaid_near)
        + sentence
        + YES_NO_WEIGHT * (said + unsaid)
        + GROUP_WEIGHT * _of_groups(relevance[grouped:], answers[grouped:], step.shares[LISTS:])
    )


def lesson_of(scores: Scores, taught: Scores) -> Tensor:
    """How far the scores are from a teacher's: of each row and sentence, and among each other."""
    listed = LISTS * PASSAGES
    lists, taught_lists = (one.relevance[:listed].view(-1, PASSAGES) for one in (scores, taught))
    there = scores.answers.isfinite() & taught.answers.isfinite()
    several = there.sum(1) > 1
    among = _divergence(scores.answers[several], taught.answers[several], there[several])
    return (
        _divergence(lists, taught_lists, torch.ones_like(lists, dtype=torch.bool))
        + EACH_WEIGHT * _soft_yes_no(scores.relevance, taught.relevance)
        + among
        + EACH_WEIGHT * _soft_yes_no(scores.answers[there], taught.answers[there])
    )


def _divergence(scores: Tensor, taught: Tensor, there: Tensor) -> Tensor:
    wanted = taught.masked_fill(~there, -torch.inf).softmax(1)
    chosen = scores.masked_fill(~there, -torch.inf).log_softmax(1).masked_fill(~there, 0.0)
    return -(wanted * chosen).sum(1).mean()


def _soft_yes_no(scores: Tensor, taught: Tensor) -> Tensor:
    return functional.binary_cross_entropy_with_logits(scores, taught.sigmoid())


def _of_groups(relevance: Tensor, answers: Tensor, shares: Tensor) -> Tensor:
    """How wrong a yes or no is about the questions of the same texts, half of them answered."""
    half = len(shares)
    sentence, said = _right_sentences(answers[:half], shares)
    best = answers[half:].max(1).values
    return (
        functional.softplus(-relevance[:half]).mean()
        + functional.softplus(relevance[half:]).mean()
        + sentence
        + said
        + functional.softplus(best[best.isfinite()]).mean()
    )


def _right_sentences(answers: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
    """How wrong the choice from the sentences of right passages is, and the best one's score."""
    width = min(answers.shape[1], shares.shape[1])
    answers, shares = answers[:, :width], shares[:, :width]
    there = answers.isfinite()
    clear = (shares.max(1).values > 0) & there.any(1)
    answers, shares, there = answers[clear], shares[clear], there[clear]
    wanted = (shares / SHARE_TEMPERATURE).masked_fill(~there, -torch.inf).softmax(1)
    chosen = answers.log_softmax(1).masked_fill(~there, 0.0)
    sentence = -(wanted * chosen).sum(1).mean()
    best = wanted.argmax(1, keepdim=True)
    return sentence, functional.softplus(-answers.gather(1, best)).mean()


Rates = list[dict]


def train(
    network: PairNetwork,
    rates: Rates,
    lists: Lists,
    device: str,
    *,
    limit_s: float,
    teacher: TeacherNetwork | None = None,
) -> None:
    """Train with a rate that warms up and then falls to nothing, at the limit of time at last."""
    steps = lists.steps
    started, mean = time.monotonic(), 0.0

    def done(step: int) -> float:
        return max(step / steps, (time.monotonic() - started) / limit_s)

    optimizer = torch.optim.AdamW(rates, weight_decay=0.01, fused=device == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, 1 - min(1.0, done(step)))
    )
    loader = torch.utils.data.DataLoader(
        lists, batch_size=None, num_workers=WORKERS, prefetch_factor=4
    )
    network.train()
    for number, step in enumerate(loader):
        with torch.autocast(device, torch.bfloat16):
            loss = _loss(network, _moved(step, device), teacher)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if number % 100 == 0:
            mean = loss.item() if number == 0 else 0.7 * mean + 0.3 * loss.item()
            print(f"step {number}: loss {mean:.3f}, {time.monotonic() - started:.0f} s", flush=True)
        if time.monotonic() - started > limit_s:
            print(f"stopped at step {number}")
            break
    network.eval()
    network.merge()


def _loss(network: PairNetwork, step: Step, teacher: TeacherNetwork | None) -> Tensor:
    scores = read_step(network, step)
    if teacher is None:
        return loss_of(scores, step)
    with torch.no_grad():
        taught = read_step(teacher, step)
    return DATA_WEIGHT * loss_of(scores, step) + lesson_of(scores, taught)


def _moved(step: Step, device: str) -> Step:
    parts = [
        Batch(
            **{
                field.name: value.to(device) if isinstance(value, Tensor) else value
                for field in fields(part)
                for value in [getattr(part, field.name)]
            }
        )
        for part in step.parts
    ]
    return Step(parts, step.places.to(device), step.shares.to(device))


def rates_of(network: ReaderNetwork, share: float = 1.0) -> Rates:
    """How fast each weight of the reader is trained."""
    rates: dict[float, list] = {LOW_RANK_RATE: [], HEAD_RATE: [], OTHER_RATE: []}
    for name, one in network.named_parameters():
        if name.endswith((".up", ".down")):
            rates[LOW_RANK_RATE].append(one)
        elif name.startswith(("relevance", "answer")):
            rates[HEAD_RATE].append(one)
        else:
            rates[OTHER_RATE].append(one)
    return [{"params": some, "lr": share * rate} for rate, some in rates.items()]


def go_on_from(network: ReaderNetwork, weights: Path) -> None:
    """Take the weights over that an earlier training kept."""
    earlier = load_file(weights)
    for name, one in network.named_parameters():
        one.data.copy_(earlier[name])


def load_base(model: Path) -> dict[str, Tensor]:
    """The tensors of the bundled model."""
    return {
        name.removeprefix("bert."): tensor.float()
        for name, tensor in load_file(model / "model.safetensors").items()
        if tensor.is_floating_point()
    }


def drawn_lists(arguments: argparse.Namespace, device: str) -> Lists:
    """Mine the examples; the lists that steps are made of."""
    started = time.monotonic()
    tokenizer = PairTokenizer(arguments.model)
    passages, written = read_prepared(arguments.prepared, tokenizer)
    embedder = Embedder(load_base(arguments.model), tokenizer, device)
    vectors = embedder.embed([(*one.heading, *one.ids) for one in passages])
    used = [one for one in written if passages[one["passage"]].corpus not in HELD_OUT_CORPORA]
    examples = mine(used, passages, vectors, embedder, tokenizer)
    print(f"{len(examples)} examples mined in {time.monotonic() - started:.0f} s", flush=True)
    return Lists(examples, passages, arguments.model, arguments.steps, arguments.seed)


def asked_for(description: str) -> argparse.ArgumentParser:
    """What every training is told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--limit-s", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=SEED)
    return parser


def main() -> None:
    """Mine, train, keep the weights."""
    parser = asked_for(__doc__)
    parser.add_argument("--teacher", type=Path, help="the folder of all-mpnet-base-v2")
    parser.add_argument("--taught", type=Path, help="the weights that training.teach wrote")
    parser.add_argument("--begin", type=Path, help="the reader of an earlier training, to go on")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.monotonic()
    lists = drawn_lists(arguments, device)
    network = ReaderNetwork(load_base(arguments.model), RANK).to(device)
    teacher = None
    if arguments.teacher:
        teacher = trained_teacher(arguments.teacher, arguments.model, arguments.taught).to(device)
    rates = rates_of(network)
    if arguments.begin:
        go_on_from(network, arguments.begin)
        rates = rates_of(network, GOING_ON)
    train(network, rates, lists, device, limit_s=arguments.limit_s, teacher=teacher)
    arguments.out.mkdir(parents=True, exist_ok=True)
    trained = {name: one.detach().half().contiguous() for name, one in network.named_parameters()}
    save_file(trained, arguments.out / "reader.safetensors")
    size = sum(one.numel() for one in trained.values()) * 2
    print(
        json.dumps({"bytes": size, "steps": arguments.steps, "seconds": time.monotonic() - started})
    )


if __name__ == "__main__":
    main()
