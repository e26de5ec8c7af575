"""Builds the BERT graph with OpenVINO's operations from a model folder's numbers and weights."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.model_folder import (
    USE_THE_EXTRA,
    Architecture,
    EmbeddingFolder,
    ModelFolder,
    Pooling,
)
from sourcebook.providers.inference.openvino_runtime import ops, ov
from sourcebook.providers.inference.weights import Weights

# Added to the attention scores of padding; large enough that its share becomes exactly zero.
_MASKED = np.float32(-1e4)
# Far below any hidden state, so that padding never is the maximum.
_LOWEST = np.float32(-1e9)


@dataclass(frozen=True, slots=True)
class GraphInputs:
    """The graph's inputs, each of shape (batch, tokens)."""

    ids: ov.Node
    mask: ov.Node
    types: ov.Node

    def ordered(self) -> list[ov.Node]:
        """Return the inputs in the order that a compiled model takes them."""
        return [self.ids, self.mask, self.types]


@dataclass(frozen=True, slots=True)
class Layers:
    """Builds layers from weights that it looks up by name."""

    architecture: Architecture
    weights: Weights

    def linear(self, x: ov.Node, name: str) -> ov.Node:
        """Add a fully connected layer."""
        product = ops.matmul(x, constant(self.weights[f"{name}.weight"]), False, True)
        return ops.add(product, constant(self.weights[f"{name}.bias"]))

    def layer_norm(self, x: ov.Node, name: str) -> ov.Node:
        """Add a layer normalisation."""
        eps = self.architecture.layer_norm_eps
        centred = ops.mvn(x, indices(-1), True, eps, "inside_sqrt")
        scaled = ops.multiply(centred, constant(self.weights[f"{name}.weight"]))
        return ops.add(scaled, constant(self.weights[f"{name}.bias"]))

    def activation(self, x: ov.Node) -> ov.Node:
        """Add the activation between the two halves of a feed-forward layer."""
        kind = self.architecture.activation
        if kind == "relu":
            return ops.relu(x)
        return ops.gelu(x, "erf" if kind == "gelu" else "tanh")


@dataclass(frozen=True, slots=True)
class EightBitLayers(Layers):
    """Builds fully connected layers with weights of 8 bits, one scale for each row."""

    def linear(self, x: ov.Node, name: str) -> ov.Node:
        """Add a fully connected layer; one with a single row stays as it is."""
        weights = self.weights[f"{name}.weight"]
        if len(weights) == 1:
            return Layers.linear(self, x, name)
        scales = np.maximum(np.abs(weights).max(axis=1, keepdims=True), 1e-12) / 127
        rounded = ops.constant(np.round(weights / scales).astype(np.int8))
        scaled = ops.multiply(ops.convert(rounded, "f32"), ops.constant(scales.astype(np.float32)))
        product = ops.matmul(x, scaled, False, True)
        return ops.add(product, constant(self.weights[f"{name}.bias"]))


def embedding_graph(
    folder: EmbeddingFolder, weights: Weights, layers_of: type[Layers] = Layers
) -> ov.Model:
    """Build the graph of an embedder: token ids in, unit vectors out."""
    inputs = new_inputs()
    try:
        hidden = encode(inputs, layers_of(folder.model.architecture, weights))
        pooled = _pooled(hidden, inputs.mask, folder.pooling)
        unit = ops.normalize_l2(pooled, indices(1), 1e-24, "max")
        return ov.Model([unit], inputs.ordered())
    except RuntimeError as error:
        raise _misfit(weights) from error


def label_count(folder: ModelFolder, weights: Weights) -> int:
    """Return how many logits a cross-encoder gives for a pair."""
    return len(weights[f"{_head(folder)}.weight"])


def scoring_graph(folder: ModelFolder, weights: Weights) -> ov.Model:
    """Build the graph of a cross-encoder: token ids of pairs in, a logit for each label out."""
    layers = Layers(folder.architecture, weights)
    inputs = new_inputs()
    try:
        first = _first_token(encode(inputs, layers))
        before = "classifier.dense" if folder.architecture.is_roberta else "pooler.dense"
        logits = layers.linear(ops.tanh(layers.linear(first, before)), _head(folder))
        return ov.Model([logits], inputs.ordered())
    except RuntimeError as error:
        raise _misfit(weights) from error


def _head(folder: ModelFolder) -> str:
    return "classifier.out_proj" if folder.architecture.is_roberta else "classifier"


def reading_graph(
    folder: ModelFolder, weights: Weights, layers_of: type[Layers] = Layers
) -> ov.Model:
    """Build the graph of a reader: token ids of pairs in, a relevance and token scores out."""
    layers = layers_of(folder.architecture, weights)
    inputs = new_inputs()
    try:
        hidden = encode(inputs, layers)
        first = _first_token(hidden)
        whole = ops.concat([first, _pooled(hidden, inputs.mask, "mean")], 1)
        relevance = layers.linear(whole, "relevance")
        # Of the pair (token, first token), without making the pairs.
        own, of_first = np.split(weights["answer.weight"], 2, axis=1)
        tokens = ops.squeeze(ops.matmul(hidden, _copied(own), False, True), indices(2))
        shared = ops.matmul(first, _copied(of_first), False, True)
        answers = ops.add(tokens, ops.add(shared, constant(weights["answer.bias"])))
        return ov.Model([ops.concat([relevance, answers], 1)], inputs.ordered())
    except RuntimeError as error:
        raise _misfit(weights) from error


def encode(inputs: GraphInputs, layers: Layers) -> ov.Node:
    """Compute the hidden states of all tokens after the last layer: (batch, tokens, hidden)."""
    hidden = _embed(inputs, layers)
    bias = _attention_bias(inputs.mask)
    for number in range(layers.architecture.layers):
        hidden = _layer(hidden, bias, layers, f"encoder.layer.{number}")
    return hidden


def new_inputs() -> GraphInputs:
    """Make inputs for batches of any size and length."""
    return GraphInputs(*(ops.parameter([-1, -1], np.int64) for _ in range(3)))


def constant(values: npt.NDArray[np.float32]) -> ov.Node:
    """Make a tensor of weights without a copy."""
    return ops.constant(values, shared_memory=True)


def _copied(values: npt.NDArray[np.float32]) -> ov.Node:
    return ops.constant(np.ascontiguousarray(values))


def indices(*values: int) -> ov.Node:
    """Make a tensor of a few whole numbers: axes, shapes, bounds."""
    return ops.constant(np.array(values, dtype=np.int64))


def _embed(inputs: GraphInputs, layers: Layers) -> ov.Node:
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
    return layers.layer_norm(ops.add(ops.add(words, types), positions), "embeddings.LayerNorm")


def _layer(x: ov.Node, bias: ov.Node, layers: Layers, name: str) -> ov.Node:
    attended = layers.linear(
        _attention(x, bias, layers, f"{name}.attention.self"), f"{name}.attention.output.dense"
    )
    x = layers.layer_norm(ops.add(attended, x), f"{name}.attention.output.LayerNorm")
    wide = layers.activation(layers.linear(x, f"{name}.intermediate.dense"))
    return layers.layer_norm(
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


def _pooled(hidden: ov.Node, mask: ov.Node, pooling: Pooling) -> ov.Node:
    if pooling == "cls":
        return _first_token(hidden)
    weight = ops.unsqueeze(ops.convert(mask, "f32"), indices(-1))
    if pooling == "max":
        padding = ops.subtract(ops.constant(np.float32(1)), weight)
        lowered = ops.add(hidden, ops.multiply(padding, ops.constant(_LOWEST)))
        return ops.reduce_max(lowered, indices(1))
    total = ops.reduce_sum(ops.multiply(hidden, weight), indices(1))
    return ops.divide(total, ops.reduce_sum(weight, indices(1)))


def _first_token(hidden: ov.Node) -> ov.Node:
    return ops.gather(hidden, ops.constant(np.int64(0)), indices(1))


def _misfit(weights: Weights) -> ConfigurationError:
    return ConfigurationError(
        f"The tensors of {weights.path} do not have the shapes that config.json says."
        f" If both files are whole: {USE_THE_EXTRA}"
    )
