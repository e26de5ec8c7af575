"""Writes what f32 makes of the reader's probes: `python -m training.probes ADAPTER`.

With it the product need not compile the reader in f32 to see whether the faster one agrees.
"""

import argparse
import asyncio
from pathlib import Path

import numpy as np

from sourcebook.providers.inference.known_outputs import outputs_file
from sourcebook.providers.readers.adapter import find_reader
from sourcebook.providers.readers.openvino import exact_scores


def write(path: str) -> None:
    """Write them beside the adapter, in place of those of another one."""
    adapter, base = find_reader(path, Path())
    scores = asyncio.run(exact_scores(adapter, base))
    for old in adapter.folder.glob("probes-*.npy"):
        old.unlink()
    np.save(outputs_file(adapter.folder, adapter.sha256), scores.astype(np.float32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapter", help="its folder, or `bundled`")
    write(parser.parse_args().adapter)
