"""Trains the reader: so many steps, from one seed, on a GPU if there is one."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from training.aside import told_apart
from training.config import Config
from training.losses import loss_of
from training.near import near_passages
from training.network import ReaderNetwork, load_base
from training.pairs import PairTokenizer, Tokens
from training.questions import CASES_FILE, DEVELOPMENT, PASSAGES_FILE, Line, read_lines
from training.steps import Asked, Drawer, Steps, TrainingCase

TRAINED_FILE = "trained.safetensors"
PRINTED = 100


def train(prepared: Path, model: Path, out: Path, config: Config) -> None:
    """Train, keep what was trained, and print what it makes of the questions kept aside."""
    torch.manual_seed(config.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = PairTokenizer(model)
    passages = tokenizer.passages(list(read_lines(prepared / PASSAGES_FILE)))
    cases = list(read_lines(prepared / CASES_FILE))
    network = ReaderNetwork(load_base(model), config).to(device)
    drawer = Drawer(
        config, _training_cases(network, passages, cases, device, tokenizer), passages, tokenizer
    )
    _run(network, drawer, config, device)
    network.eval()
    out.mkdir(parents=True, exist_ok=True)
    kept = {name: one.detach().half().contiguous() for name, one in network.named_parameters()}
    save_file(kept, out / TRAINED_FILE)
    kept_aside = [case for case in cases if case["set"].endswith(DEVELOPMENT)]
    print("\n".join(told_apart(network, tokenizer, passages, kept_aside, device)))


def _training_cases(
    network: ReaderNetwork,
    passages: Sequence[Tokens],
    cases: Iterable[Line],
    device: str,
    tokenizer: PairTokenizer,
) -> dict[str, list[TrainingCase]]:
    """The cases of each set, with what is near their questions."""
    used = [case for case in cases if not case["set"].endswith(DEVELOPMENT)]
    network.eval()
    near = near_passages(network, tokenizer, passages, used, device)
    found: dict[str, list[TrainingCase]] = {}
    for case, of_questions in zip(used, near, strict=True):
        ids = tokenizer.ids([one["question"] for one in case["answered"]])
        answered = (
            Asked(question, tuple((place, number) for place, number in one["right"]), others)
            for question, one, others in zip(ids, case["answered"], of_questions, strict=True)
        )
        missing = tokenizer.ids(case["missing"])
        found.setdefault(case["set"], []).append(
            TrainingCase(tuple(case["passages"]), tuple(answered), tuple(missing))
        )
    print({name: len(some) for name, some in found.items()}, flush=True)
    return found


def _run(network: ReaderNetwork, drawer: Drawer, config: Config, device: str) -> None:
    """All steps, with rates that warm up and then fall to nothing."""
    optimizer = torch.optim.AdamW(_rates(network, config), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / config.warm_up, 1 - step / config.steps)
    )
    workers = max(0, min(6, (os.cpu_count() or 1) - 2)) if device == "cuda" else 0
    loader = torch.utils.data.DataLoader(
        Steps(drawer, config.steps), batch_size=None, num_workers=workers
    )
    started = time.monotonic()
    network.train()
    for number, step in enumerate(loader):
        with torch.autocast(device, torch.bfloat16):
            loss = loss_of(network, step.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if number % PRINTED == 0:
            took = time.monotonic() - started
            print(f"step {number}: loss {loss.item():.3f}, {took:.0f} s", flush=True)


def _rates(network: ReaderNetwork, config: Config) -> list[dict[str, object]]:
    """How fast each weight is trained."""
    rates: dict[float, list[Tensor]] = {}
    for name, one in network.named_parameters():
        if name.endswith((".up", ".down")):
            rate = config.low_rank_rate
        elif name.startswith(("relevance", "answer")):
            rate = config.head_rate
        else:
            rate = config.other_rate
        rates.setdefault(rate, []).append(one)
    return [{"params": some, "lr": rate} for rate, some in rates.items()]
