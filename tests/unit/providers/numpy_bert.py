"""BERT in plain numpy, one text at a time: what our graphs must agree with."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tests.tiny_models import HEADS, HIDDEN, LAYERS, Tensors

Array = npt.NDArray[np.float32]


def embed(tensors: Tensors, ids: Sequence[int], pooling: str, first_position: int) -> Array:
    """The unit vector of one text."""
    hidden = hidden_states(tensors, ids, [0] * len(ids), first_position)
    pooled = {"mean": hidden.mean(0), "cls": hidden[0], "max": hidden.max(0)}[pooling]
    unit: Array = pooled / np.linalg.norm(pooled)
    return unit


def score_bert(tensors: Tensors, ids: Sequence[int], types: Sequence[int]) -> float:
    """The logit of a BERT cross-encoder."""
    bare = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
    first = hidden_states(bare, ids, types, 0)[0]
    return float(_linear(bare, "classifier", np.tanh(_linear(bare, "pooler.dense", first)))[0])


def score_roberta(tensors: Tensors, ids: Sequence[int]) -> float:
    """The logit of a RoBERTa cross-encoder."""
    bare = {name.removeprefix("roberta."): tensor for name, tensor in tensors.items()}
    first = hidden_states(bare, ids, [0] * len(ids), 1)[0]
    dense = np.tanh(_linear(bare, "classifier.dense", first))
    return float(_linear(bare, "classifier.out_proj", dense)[0])


def hidden_states(
    tensors: Tensors,
    ids: Sequence[int],
    types: Sequence[int],
    first_position: int,
    activation: str = "gelu",
) -> Array:
    """The states after the last layer: (tokens, hidden)."""
    end = first_position + len(ids)
    x = tensors["embeddings.word_embeddings.weight"][list(ids)]
    x = x + tensors["embeddings.position_embeddings.weight"][first_position:end]
    x = x + tensors["embeddings.token_type_embeddings.weight"][list(types)]
    x = _normal(tensors, "embeddings.LayerNorm", x)
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        mixed = _linear(tensors, f"{name}.attention.output.dense", _attention(tensors, name, x))
        x = _normal(tensors, f"{name}.attention.output.LayerNorm", mixed + x)
        wide = ACTIVATIONS[activation](_linear(tensors, f"{name}.intermediate.dense", x))
        x = _normal(
            tensors, f"{name}.output.LayerNorm", _linear(tensors, f"{name}.output.dense", wide) + x
        )
    return x


def _attention(tensors: Tensors, layer: str, x: Array) -> Array:
    query, key, value = (
        _linear(tensors, f"{layer}.attention.self.{part}", x).reshape(len(x), HEADS, -1)
        for part in ("query", "key", "value")
    )
    heads = []
    for head in range(HEADS):
        scores = query[:, head] @ key[:, head].T / math.sqrt(HIDDEN // HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        heads.append(shares / shares.sum(-1, keepdims=True) @ value[:, head])
    return np.concatenate(heads, axis=-1)


def _linear(tensors: Tensors, name: str, x: Array) -> Array:
    result: Array = x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
    return result


def _normal(tensors: Tensors, name: str, x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    result: Array = (
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * tensors[f"{name}.weight"]
        + tensors[f"{name}.bias"]
    )
    return result


def _relu(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


def _gelu_tanh(x: Array) -> Array:
    result: Array = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return result


def _gelu(x: Array) -> Array:
    erf = np.vectorize(math.erf)
    result: Array = (x * 0.5 * (1 + erf(x / math.sqrt(2)))).astype(np.float32)
    return result


ACTIVATIONS = {
    "gelu": _gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "relu": _relu,
}
