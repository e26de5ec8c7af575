"""Trains the language model that reads: `python -m training.tune PREPARED MODEL OUT …`."""

from pathlib import Path

import torch

from training.language_model import load_tensors, on_device
from training.language_reader import ChatRows, LanguageReader
from training.mining import mined
from training.network import save_trained
from training.prepared import PASSAGES_FILE, read_lines
from training.steps import Lists, Shape, Stepped
from training.train import Rates, asked_for, train

STEPS = 2000
RATE = 2e-4
# A twelfth of the reader's step: it needs fewer questions, and most of them such as are hard.
SHAPE = Shape(
    {"question": 3, "statement": 1, "written": 3, "asked": 4},
    4,
    {"near_miss": 3, "typed_miss": 1},
    {"written": 1, "asked": 2},
    parts=2,
)


def rates_of(network: LanguageReader) -> Rates:
    """How fast each weight is trained."""
    return [{"params": list(network.parameters()), "lr": RATE}]


def main() -> None:
    """Mine, train, keep the changes."""
    parser = asked_for(__doc__)
    parser.set_defaults(steps=STEPS)
    parser.add_argument("--language-model", type=Path, required=True)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lines = read_lines(arguments.prepared / PASSAGES_FILE)
    found = mined(arguments.prepared, arguments.model, device)
    # Made once, for all who draw.
    rows = ChatRows(arguments.language_model, lines)
    lists = Lists(found, lambda: rows, SHAPE, arguments.seed)
    tensors = load_tensors(arguments.language_model, device)
    network = on_device(LanguageReader(tensors), device)
    stepped = Stepped([lists], arguments.steps)
    train(network, rates_of(network), stepped, device, limit_s=arguments.limit_s)
    save_trained(network, arguments.out / "tuned.safetensors")


if __name__ == "__main__":
    main()
