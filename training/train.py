"""Trains the reader: `python -m training.train PREPARED MODEL OUT`."""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.losses import lesson_of, loss_of, read_step
from training.mining import Embedder, mine
from training.network import RANK, PairNetwork, ReaderNetwork
from training.pairs import PairRows, PairTokenizer, TokenizedPassage, read_prepared
from training.prepared import read_lines
from training.sources import HELD_OUT_CORPORA
from training.steps import (
    SEED,
    WORKERS,
    Lists,
    Mined,
    ScoredPairs,
    Step,
    Stepped,
    StepSource,
    moved,
)
from training.teacher import TeacherNetwork, trained_teacher

STEPS = 1500
WARM_UP = 100
LOW_RANK_RATE, HEAD_RATE, OTHER_RATE = 7e-4, 1e-3, 1e-4
# How fast a reader goes on that was trained before, beside one that begins.
GOING_ON = 0.5
# How much the data counts beside a teacher.
DATA_WEIGHT = 0.5
# After each step of lists come so many of pairs with scores.
PAIRED = 3
Rates = list[dict]


def train(
    network: PairNetwork,
    rates: Rates,
    stepped: Stepped,
    device: str,
    *,
    limit_s: float,
    teacher: TeacherNetwork | None = None,
) -> None:
    """Train with a rate that warms up and then falls to nothing, at the limit of time at last."""
    steps = stepped.steps
    started, mean = time.monotonic(), 0.0

    def done(step: int) -> float:
        return max(step / steps, (time.monotonic() - started) / limit_s)

    optimizer = torch.optim.AdamW(rates, weight_decay=0.01, fused=device == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, 1 - min(1.0, done(step)))
    )
    loader = torch.utils.data.DataLoader(
        stepped, batch_size=None, num_workers=WORKERS, prefetch_factor=4
    )
    network.train()
    for number, step in enumerate(loader):
        with torch.autocast(device, torch.bfloat16):
            loss = _loss(network, moved(step, device), teacher)
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
    taught = step.taught
    if taught is None:
        if teacher is None:
            return loss_of(scores, step)
        with torch.no_grad():
            taught = read_step(teacher, step)
    lesson = lesson_of(scores, taught, step.shape)
    return DATA_WEIGHT * loss_of(scores, step) + lesson if step.shape else lesson


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


def mined(prepared: Path, model: Path, device: str) -> Mined:
    """The prepared examples with what is near them."""
    started = time.monotonic()
    tokenizer = PairTokenizer(model)
    passages, written = read_prepared(prepared, tokenizer)
    embedder = Embedder(load_base(model), tokenizer, device)
    vectors = embedder.embed([(*one.heading, *one.ids) for one in passages])
    used = [one for one in written if passages[one["passage"]].corpus not in HELD_OUT_CORPORA]
    examples = mine(used, passages, vectors, embedder, tokenizer)
    print(f"{len(examples)} examples mined in {time.monotonic() - started:.0f} s", flush=True)
    return Mined(passages, examples)


def pairs_of(
    made: Path, tokenizer: PairTokenizer, first: int
) -> tuple[list[TokenizedPassage], list[dict]]:
    """The texts that `training.write` made, numbered from `first`, and what `score` kept."""
    lines = read_lines(made / "texts.jsonl.gz")
    texts = tokenizer.passages([line | {"id": first + number} for number, line in enumerate(lines)])
    return texts, read_lines(made / "pairs.jsonl.gz")


def sources_of(found: Mined, arguments: argparse.Namespace) -> list[StepSource]:
    """What steps are made of: lists of the examples and, if there are any, pairs with scores."""
    model, seed = arguments.model, arguments.seed
    if not arguments.scored:
        return [Lists(found, partial(PairRows, model, found.passages), seed=seed)]
    texts, pairs = pairs_of(arguments.scored, PairTokenizer(model), len(found.passages))
    rows = partial(PairRows, model, [*found.passages, *texts])
    scored = ScoredPairs(pairs, rows, seed)
    return [Lists(found, rows, seed=seed), *[scored] * PAIRED]


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
    parser.add_argument("--scored", type=Path, help="the folder that training.score wrote")
    parser.add_argument("--begin", type=Path, help="the reader of an earlier training, to go on")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.monotonic()
    sources = sources_of(mined(arguments.prepared, arguments.model, device), arguments)
    network = ReaderNetwork(load_base(arguments.model), RANK).to(device)
    teacher = None
    if arguments.teacher:
        teacher = trained_teacher(arguments.teacher, arguments.model, arguments.taught).to(device)
    rates = rates_of(network)
    if arguments.begin:
        go_on_from(network, arguments.begin)
        rates = rates_of(network, GOING_ON)
    stepped = Stepped(sources, arguments.steps)
    train(network, rates, stepped, device, limit_s=arguments.limit_s, teacher=teacher)
    arguments.out.mkdir(parents=True, exist_ok=True)
    trained = {name: one.detach().half().contiguous() for name, one in network.named_parameters()}
    save_file(trained, arguments.out / "reader.safetensors")
    size = sum(one.numel() for one in trained.values()) * 2
    print(
        json.dumps({"bytes": size, "steps": arguments.steps, "seconds": time.monotonic() - started})
    )


if __name__ == "__main__":
    main()
