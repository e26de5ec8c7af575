"""What f32 makes of a model's probes, kept in a file, so that it need not be compiled."""

from pathlib import Path

import numpy as np

from sourcebook.providers.inference.weights import FloatArray


def outputs_file(folder: Path, sha256: str) -> Path:
    """Return where they are kept; those of other weights have another name."""
    return folder / f"probes-{sha256[:12]}.npy"


def known_outputs(folder: Path, sha256: str) -> FloatArray | None:
    """Return what is kept in a folder of the weights with that hash; None if nothing is."""
    try:
        known: FloatArray = np.load(outputs_file(folder, sha256))
    except (OSError, ValueError, EOFError):
        return None
    return known
