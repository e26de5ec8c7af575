"""Writes an adapter as the product loads it.

Its tensors have the names of the model's own: `NAME.up` and `NAME.down` are added to a weight as
their product, all others take the place of what has their name.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from sourcebook.providers.inference.known_outputs import outputs_file
from sourcebook.providers.readers.adapter import ADAPTER_FILE, CARD_FILE, find_reader
from sourcebook.providers.readers.openvino import exact_scores
from training.questions import sha256_of

TRAINED_FILE = "trained.safetensors"
# Until `calibrate` has fitted it.
NO_CALIBRATION = {"bias": 0.0, "relevance": 1.0, "answer": 1.0, "similarity": 0.0, "coverage": 0.0}
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


def export(trained: Path, model: Path, out: Path) -> str:
    """Write the adapter and what is to be known about it, and return its hash."""
    tensors = {
        exported_name(name): np.ascontiguousarray(one.astype(np.float16))
        for name, one in load_file(trained / TRAINED_FILE).items()
    }
    out.mkdir(parents=True, exist_ok=True)
    target = out / ADAPTER_FILE
    save_file(tensors, target)
    if target.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MAX_BYTES}")
    known = {"sha256": sha256_of(target), "base_sha256": sha256_of(model / "model.safetensors")}
    save_card(out, known | {"calibration": NO_CALIBRATION})
    return known["sha256"]


def save_card(adapter: Path, card: Mapping[str, object]) -> None:
    """Write what the product reads beside an adapter."""
    (adapter / CARD_FILE).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


async def write_probes(adapter: Path) -> None:
    """Keep what f32 makes of a few questions: at its start the product compares with it."""
    found, base = find_reader(str(adapter), Path())
    scores = await exact_scores(found, base)
    np.save(outputs_file(adapter, found.sha256), scores.astype(np.float32))
