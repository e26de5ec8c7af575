"""Trains the reader: `python -m training.train PREPARED MODEL OUT`."""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from training.losses import lesson_of, loss_of, loss_of_runs, read_step
from training.mining import Mined, mined
from training.network import RANK, PairNetwork, ReaderNetwork, load_base, save_trained
from training.pairs import PairRows, PairTokenizer, TokenizedPassage
from training.prepared import SCORED_FILE, TEXTS_FILE, numbered, read_lines
from training.runs_of_passages import FOUND_FOLDER, RunOfPassages, load_runs
from training.steps import (
    FOUND,
    SEED,
    WORKERS,
    Lists,
    Runs,
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
    if taught is None and step.shape is None:
        return loss_of_runs(scores, step.shares)
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


def pairs_of(
    made: Path, tokenizer: PairTokenizer, first: int
) -> tuple[list[TokenizedPassage], list[dict]]:
    """The texts that `training.write` made, numbered from `first`, and what `score` kept."""
    texts = tokenizer.passages(numbered(read_lines(made / TEXTS_FILE), first))
    return texts, read_lines(made / SCORED_FILE)


def runs_of(
    folder: Path, tokenizer: PairTokenizer, first: int
) -> tuple[list[TokenizedPassage], list[RunOfPassages]]:
    """The passages that `training.runs_of_passages` wrote, numbered from `first`, and the runs."""
    lines = numbered(read_lines(folder / TEXTS_FILE), first)
    return tokenizer.passages(lines), load_runs(folder, first)


def sources_of(examples: Mined, arguments: argparse.Namespace) -> list[StepSource]:
    """What steps are made of: lists of the examples and, if there are any, pairs with scores."""
    model, seed, prepared = arguments.model, arguments.seed, len(examples.passages)
    passages, pairs = list(examples.passages), []
    for folder in arguments.scored:
        # Each counts its own texts after what was prepared.
        moved_by = len(passages) - prepared
        texts, some = pairs_of(folder, PairTokenizer(model), len(passages))
        passages += texts
        for one in some:
            own = one["passage"] >= prepared
            pairs.append(one | {"passage": one["passage"] + (moved_by if own else 0)})
    runs = []
    if arguments.runs:
        texts, runs = runs_of(arguments.runs, PairTokenizer(model), len(passages))
        passages += texts
    found = []
    if arguments.found_steps:
        folder = arguments.runs / FOUND_FOLDER
        texts, found = runs_of(folder, PairTokenizer(model), len(passages))
        passages += texts
    rows = partial(PairRows, model, passages)
    sources: list[StepSource] = [Lists(examples, rows, seed=seed)]
    if pairs:
        sources += [ScoredPairs(pairs, rows, seed)] * PAIRED
    if runs:
        sources += [Runs(runs, passages, rows, seed)] * arguments.run_steps
        sources += [Runs(found, passages, rows, seed, FOUND)] * arguments.found_steps
    return sources


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
    parser.add_argument(
        "--scored", type=Path, nargs="+", default=(), help="what training.score wrote"
    )
    parser.add_argument("--runs", type=Path, help="what training.runs_of_passages wrote")
    parser.add_argument(
        "--run-steps", type=int, default=1, help="so many of these steps for each one of lists"
    )
    parser.add_argument(
        "--found-steps", type=int, default=0, help="the same of passages found for questions"
    )
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
    kept = arguments.out / "reader.safetensors"
    save_trained(network, kept)
    size = kept.stat().st_size
    print(
        json.dumps({"bytes": size, "steps": arguments.steps, "seconds": time.monotonic() - started})
    )


if __name__ == "__main__":
    main()
