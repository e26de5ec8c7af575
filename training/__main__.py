"""The steps of the chain as commands: prepare, train, export, calibrate, evaluate."""

import argparse
import asyncio
from pathlib import Path

from training.config import read_config
from training.questions import CASES_FILE, PASSAGES_FILE, sha256_of

COMMANDS = {
    "prepare": ("data", "prepared"),
    "train": ("prepared", "model", "trained"),
    "export": ("trained", "model", "adapter"),
    "calibrate": ("data", "adapter"),
    "evaluate": ("data", "adapter"),
}


def main() -> None:
    """Read the command line. Each command imports what it needs: only `train` needs torch."""
    arguments = _parser().parse_args()
    match arguments.command:
        case "prepare":
            from training.prepare import prepare

            print(prepare(arguments.data, arguments.prepared))
            for name in (PASSAGES_FILE, CASES_FILE):
                print(name, sha256_of(arguments.prepared / name))
        case "train":
            from training.train import TRAINED_FILE, train

            config = read_config(arguments.config)
            print("config", config.sha256, flush=True)
            train(arguments.prepared, arguments.model, arguments.trained, config)
            print(TRAINED_FILE, sha256_of(arguments.trained / TRAINED_FILE))
        case "export":
            from training.export import export

            print("adapter", export(arguments.trained, arguments.model, arguments.adapter))
        case "calibrate":
            from training.calibrate import calibrate

            asyncio.run(calibrate(arguments.data, arguments.adapter))
        case "evaluate":
            from training.evaluate import evaluate

            asyncio.run(evaluate(arguments.data, str(arguments.adapter), arguments.clapnq))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, paths in COMMANDS.items():
        command = commands.add_parser(name)
        for path in paths:
            command.add_argument(path, type=Path)
        if name == "train":
            command.add_argument("--config", type=Path, help="a JSON file of other numbers")
        if name == "evaluate":
            command.add_argument("--clapnq", type=Path, help="the folder of ClapNQ's questions")
    return parser


if __name__ == "__main__":
    main()
