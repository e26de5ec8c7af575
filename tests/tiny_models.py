"""Tiny models with random weights, saved as whole folders, so that real loading can be tested."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

Tensors: TypeAlias = dict[str, npt.NDArray[np.float32]]

HIDDEN = 16
HEADS = 4
LAYERS = 2
WIDE = 32
MAX_TOKENS = 12
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
VOCABULARY = {word: number for number, word in enumerate((*SPECIALS, *LETTERS))}


def save_tiny_embedder(
    folder: Path,
    model_type: str = "bert",
    pooling: str = "mean",
    prompts: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Tensors:
    """A sentence-transformers folder whose words are single letters. Returns its weights."""
    tensors = _encoder_tensors(model_type, seed)
    _save(folder, model_type, tensors)
    _write(folder / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS})
    _write(folder / "config_sentence_transformers.json", {"prompts": dict(prompts or {})})
    _write(
        folder / "modules.json",
        [
            {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
    )
    _write(
        folder / "1_Pooling" / "config.json",
        {
            "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_cls_token": pooling == "cls",
            "pooling_mode_max_tokens": pooling == "max",
        },
    )
    return tensors


def save_tiny_cross_encoder(
    folder: Path,
    model_type: str = "bert",
    labels: int = 1,
    activation: str | None = "torch.nn.modules.linear.Identity",
    seed: int = 0,
) -> Tensors:
    """A cross-encoder folder whose words are single letters. Returns its weights."""
    random = np.random.default_rng(seed + 100)
    prefix = "bert" if model_type == "bert" else "roberta"
    tensors = {
        f"{prefix}.{name}": tensor for name, tensor in _encoder_tensors(model_type, seed).items()
    }
    if model_type == "bert":
        tensors |= _linear(random, "bert.pooler.dense", HIDDEN, HIDDEN)
        tensors |= _linear(random, "classifier", HIDDEN, labels)
    else:
        tensors |= _linear(random, "classifier.dense", HIDDEN, HIDDEN)
        tensors |= _linear(random, "classifier.out_proj", HIDDEN, labels)
    extra = {"sentence_transformers": {"activation_fn": activation}} if activation else {}
    _save(folder, model_type, tensors, extra)
    _write(folder / "tokenizer_config.json", {"model_max_length": MAX_TOKENS})
    return tensors


def _save(
    folder: Path, model_type: str, tensors: Tensors, extra: Mapping[str, object] | None = None
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": model_type,
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": WIDE,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "max_position_embeddings": _position_rows(model_type),
        "pad_token_id": VOCABULARY["[PAD]"],
        "vocab_size": len(VOCABULARY),
    }
    _write(folder / "config.json", {**config, **(extra or {})})
    save_file(tensors, folder / "model.safetensors")
    _tokenizer(model_type).save(str(folder / "tokenizer.json"))


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def _tokenizer(model_type: str) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    between = "[SEP]" if model_type == "bert" else "[SEP] [SEP]"
    second = 1 if model_type == "bert" else 0
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair=f"[CLS] $A {between} $B:{second} [SEP]:{second}",
        special_tokens=[(name, VOCABULARY[name]) for name in ("[CLS]", "[SEP]")],
    )
    # As in the folders that people publish: loading must undo it.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


def _position_rows(model_type: str) -> int:
    return 20 if model_type == "bert" else 21


def _encoder_tensors(model_type: str, seed: int) -> Tensors:
    random = np.random.default_rng(seed)
    rows = {
        "word_embeddings": len(VOCABULARY),
        "position_embeddings": _position_rows(model_type),
        "token_type_embeddings": 2 if model_type == "bert" else 1,
    }
    tensors = {
        f"embeddings.{name}.weight": _normal(random, count, HIDDEN) for name, count in rows.items()
    }
    tensors |= _layer_norm(random, "embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            tensors |= _linear(random, f"{layer}.attention.self.{part}", HIDDEN, HIDDEN)
        tensors |= _linear(random, f"{layer}.attention.output.dense", HIDDEN, HIDDEN)
        tensors |= _layer_norm(random, f"{layer}.attention.output.LayerNorm")
        tensors |= _linear(random, f"{layer}.intermediate.dense", HIDDEN, WIDE)
        tensors |= _linear(random, f"{layer}.output.dense", WIDE, HIDDEN)
        tensors |= _layer_norm(random, f"{layer}.output.LayerNorm")
    return tensors


def _linear(random: np.random.Generator, name: str, inputs: int, outputs: int) -> Tensors:
    return {
        f"{name}.weight": _normal(random, outputs, inputs) * np.float32(0.3),
        f"{name}.bias": _normal(random, outputs) * np.float32(0.1),
    }


def _layer_norm(random: np.random.Generator, name: str) -> Tensors:
    return {
        f"{name}.weight": 1 + _normal(random, HIDDEN) * np.float32(0.1),
        f"{name}.bias": _normal(random, HIDDEN) * np.float32(0.1),
    }


def _normal(random: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    return random.standard_normal(shape, dtype=np.float32)
