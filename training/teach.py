"""Trains the reader's teacher: `python -m training.teach PREPARED MODEL OUT --teacher MPNET`."""

from functools import partial
from pathlib import Path

import torch
from safetensors.torch import save_file

from training.mining import mined
from training.pairs import PairRows
from training.steps import Lists, Stepped
from training.teacher import TeacherNetwork, load_teacher
from training.train import HEAD_RATE, Rates, asked_for, train

STEPS = 700
RATE = 4e-5


def rates_of(network: TeacherNetwork) -> Rates:
    """How fast each weight of the teacher is trained: all of it slowly, its heads as they begin."""
    heads = [*network.relevance.parameters(), *network.answer.parameters()]
    ours = {id(one) for one in heads}
    rest = [one for one in network.parameters() if id(one) not in ours]
    return [{"params": rest, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}]


def main() -> None:
    """Mine, train, keep the weights."""
    parser = asked_for(__doc__)
    parser.set_defaults(steps=STEPS)
    parser.add_argument("--teacher", type=Path, required=True, help="folder of all-mpnet-base-v2")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = mined(arguments.prepared, arguments.model, device)
    rows = partial(PairRows, arguments.model, found.passages)
    stepped = Stepped([Lists(found, rows, seed=arguments.seed)], arguments.steps)
    network = load_teacher(arguments.teacher, arguments.model).to(device)
    train(network, rates_of(network), stepped, device, limit_s=arguments.limit_s)
    arguments.out.mkdir(parents=True, exist_ok=True)
    weights = {name: one.half().contiguous() for name, one in network.state_dict().items()}
    weights["ids"] = network.ids
    save_file(weights, arguments.out / "teacher.safetensors")


if __name__ == "__main__":
    main()
