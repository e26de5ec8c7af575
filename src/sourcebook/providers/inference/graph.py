"""The BERT graph, built in code with OpenVINO's operations from a folder's numbers and weights."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sourcebook.providers.inference.architecture import Architecture
from sourcebook.providers.inference.silent_openvino import ops, ov
from sourcebook.providers.inference.weights import Weights

# Added to the attention scores of padding; large enough that its share becomes exactly zero.
_MASKED = np.float32(-1e4)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The graph's inputs, each of shape (batch, tokens)."""

    ids: ov.Node
    mask: ov.Node
    types: ov.Node

    def ordered(self) -> list[ov.Node]:
        """The order in which a compiled model takes them."""
        return [self.ids, self.mask, self.types]


@dataclass(frozen=True, slots=True)
class Layers:
    """Building blocks that look their weights up by name."""

    architecture: Architecture
    weights: Weights

    def linear(self, x: ov.Node, name: str) -> ov.Node:
        """A fully connected layer."""
        product = ops.matmul(x, constant(self.weights[f"{name}.weight"]), False, True)
        return ops.add(product, constant(self.weights[f"{name}.bias"]))

    def normal(self, x: ov.Node, name: str) -> ov.Node:
        """A layer normalisation."""
        eps = self.architecture.layer_norm_eps
        centred = ops.mvn(x, indices(-1), True, eps, "inside_sqrt")
        scaled = ops.multiply(centred, constant(self.weights[f"{name}.weight"]))
        return ops.add(scaled, constant(self.weights[f"{name}.bias"]))

    def activation(self, x: ov.Node) -> ov.Node:
        """The activation between the two halves of a feed-forward layer."""
        kind = self.architecture.activation
        if kind == "relu":
            return ops.relu(x)
        return ops.gelu(x, "erf" if kind == "gelu" else "tanh")


def constant(values: npt.NDArray[np.float32]) -> ov.Node:
    """A tensor of weights, without a copy."""
    return ops.constant(values, shared_memory=True)


def indices(*values: int) -> ov.Node:
    """A few whole numbers: axes, shapes, bounds."""
    return ops.constant(np.array(values, dtype=np.int64))


def new_inputs() -> Inputs:
    """Inputs for batches of any size and length."""
    return Inputs(*(ops.parameter([-1, -1], np.int64) for _ in range(3)))


def encode(inputs: Inputs, layers: Layers) -> ov.Node:
    """The hidden states of all tokens after the last layer: (batch, tokens, hidden)."""
    hidden = _embed(inputs, layers)
    bias = _attention_bias(inputs.mask)
    for number in range(layers.architecture.layers):
        hidden = _layer(hidden, bias, layers, f"encoder.layer.{number}")
    return hidden


def _embed(inputs: Inputs, layers: Layers) -> ov.Node:
    weights = layers.weights
    first = layers.architecture.first_position
    length = ops.gather(ops.shape_of(inputs.ids), indices(1), indices(0))
    positions = ops.slice(
        constant(weights["embeddings.position_embeddings.weight"]),
        indices(first),
        ops.add(length, indices(first)),
        indices(1),
        indices(0),
    )
    words = _rows(weights["embeddings.word_embeddings.weight"], inputs.ids)
    types = _rows(weights["embeddings.token_type_embeddings.weight"], inputs.types)
    return layers.normal(ops.add(ops.add(words, types), positions), "embeddings.LayerNorm")


def _layer(x: ov.Node, bias: ov.Node, layers: Layers, name: str) -> ov.Node:
    attended = layers.linear(
        _attention(x, bias, layers, f"{name}.attention.self"), f"{name}.attention.output.dense"
    )
    x = layers.normal(ops.add(attended, x), f"{name}.attention.output.LayerNorm")
    wide = layers.activation(layers.linear(x, f"{name}.intermediate.dense"))
    return layers.normal(
        ops.add(layers.linear(wide, f"{name}.output.dense"), x), f"{name}.output.LayerNorm"
    )


def _attention(x: ov.Node, bias: ov.Node, layers: Layers, name: str) -> ov.Node:
    heads, hidden = layers.architecture.heads, layers.architecture.hidden_size
    split = indices(0, 0, heads, hidden // heads)
    query, key, value = (
        _swapped(_reshaped(layers.linear(x, f"{name}.{part}"), split))
        for part in ("query", "key", "value")
    )
    mixed = ops.scaled_dot_product_attention(query, key, value, bias)
    return _reshaped(_swapped(mixed), indices(0, 0, hidden))


def _attention_bias(mask: ov.Node) -> ov.Node:
    padding = ops.subtract(ops.constant(np.float32(1)), ops.convert(mask, "f32"))
    return ops.unsqueeze(ops.multiply(padding, ops.constant(_MASKED)), indices(1, 2))


def _rows(table: npt.NDArray[np.float32], rows: ov.Node) -> ov.Node:
    return ops.gather(constant(table), rows, indices(0))


def _reshaped(x: ov.Node, shape: ov.Node) -> ov.Node:
    return ops.reshape(x, shape, True)


def _swapped(x: ov.Node) -> ov.Node:
    return ops.transpose(x, indices(0, 2, 1, 3))
