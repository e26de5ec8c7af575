"""Averages trained readers: `python -m training.blend OUT 0.3 ONE 0.7 OTHER`.

Each is what `training.train` has kept. What they add to a weight is averaged as a whole and then
cut to the rank of the first, which loses half a percent of it; all else is averaged as it is.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

Tensors = dict[str, npt.NDArray[np.float16]]


def blend(readers: Sequence[tuple[float, Tensors]]) -> Tensors:
    """The weighted mean of readers of the same shape."""
    blended: Tensors = {}
    for name in readers[0][1]:
        if name.endswith(".up"):
            part = name.removesuffix(".up")
            blended |= _low_rank(part, readers)
        elif not name.endswith(".down"):
            mean = sum(share * one[name].astype(np.float64) for share, one in readers)
            blended[name] = np.asarray(mean, np.float16)
    return blended


def _low_rank(part: str, readers: Sequence[tuple[float, Tensors]]) -> Tensors:
    """The mean of what the readers add, as the best product of that rank."""
    up, down = f"{part}.up", f"{part}.down"
    added = sum(share * (one[up].astype(np.float64) @ one[down]) for share, one in readers)
    rank = readers[0][1][up].shape[1]
    left, sizes, right = np.linalg.svd(added, full_matrices=False)
    root = np.sqrt(sizes[:rank])
    return {
        up: np.ascontiguousarray(left[:, :rank] * root, np.float16),
        down: np.ascontiguousarray(root[:, None] * right[:rank], np.float16),
    }


def main() -> None:
    """Read the command line."""
    if len(sys.argv) < 4 or len(sys.argv) % 2:
        sys.exit(__doc__)
    out, *given = sys.argv[1:]
    shares = [float(one) for one in given[::2]]
    readers = [load_file(Path(one)) for one in given[1::2]]
    save_file(blend(list(zip(shares, readers, strict=True))), out)


if __name__ == "__main__":
    main()
