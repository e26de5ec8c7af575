"""Writes the adapter as the product loads it: `python -m training.export TRAINED MODEL OUT`.

Its tensors have the names of the model's own: `NAME.up` and `NAME.down` are added to a weight as
their product, all others take the place of what has their name.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

MAX_BYTES = 8_000_000
_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "first_norm": "attention.output.LayerNorm",
    "second_norm": "output.LayerNorm",
}
_OTHERS = {
    "types": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}


def exported_name(name: str) -> str:
    """The name that a tensor of the training has in the adapter."""
    if not name.startswith("layers."):
        return _OTHERS.get(name, name)
    _, number, part, kind = name.split(".")
    kind = f"weight.{kind}" if kind in {"up", "down"} else kind
    return f"encoder.layer.{number}.{_PARTS[part]}.{kind}"


def export(trained: Path, model: Path, out: Path) -> None:
    """Write the adapter and what is to be known about it."""
    tensors = {
        exported_name(name): np.ascontiguousarray(one.astype(np.float16))
        for name, one in load_file(trained).items()
    }
    out.mkdir(parents=True, exist_ok=True)
    target = out / "adapter.safetensors"
    save_file(tensors, target)
    if target.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MAX_BYTES}")
    known = {"sha256": _sha256(target), "base_sha256": _sha256(model / "model.safetensors")}
    (out / "reader.json").write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for argument in ("trained", "model", "out"):
        parser.add_argument(argument, type=Path)
    arguments = parser.parse_args()
    export(arguments.trained, arguments.model, arguments.out)
