"""What comes after the last layer: one vector for an embedder, one logit for a cross-encoder."""

import numpy as np

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.architecture import USE_THE_EXTRA
from sourcebook.providers.inference.graph import Layers, encode, indices, new_inputs
from sourcebook.providers.inference.model_folder import EmbeddingFolder, ModelFolder, Pooling
from sourcebook.providers.inference.silent_openvino import ops, ov
from sourcebook.providers.inference.weights import Weights

# Far below any hidden state, so that padding never is the maximum.
_LOWEST = np.float32(-1e9)


def embedding_graph(folder: EmbeddingFolder, weights: Weights) -> ov.Model:
    """Token ids in, unit vectors out."""
    inputs = new_inputs()
    try:
        hidden = encode(inputs, Layers(folder.model.architecture, weights))
        pooled = _pooled(hidden, inputs.mask, folder.pooling)
        unit = ops.normalize_l2(pooled, indices(1), 1e-24, "max")
        return ov.Model([unit], inputs.ordered())
    except RuntimeError as error:
        raise _misfit(weights) from error


def scoring_graph(folder: ModelFolder, weights: Weights) -> ov.Model:
    """Token ids of pairs in, one logit each out."""
    roberta = folder.architecture.is_roberta
    last = "classifier.out_proj" if roberta else "classifier"
    labels = weights[f"{last}.weight"].shape[0]
    if labels != 1:
        raise ConfigurationError(
            f"{folder.path} gives {labels} labels for a pair, and a reranker must give one score."
            " Choose a cross-encoder that was trained for ranking"
        )
    layers = Layers(folder.architecture, weights)
    inputs = new_inputs()
    try:
        first = _first_token(encode(inputs, layers))
        dense = layers.linear(first, "classifier.dense" if roberta else "pooler.dense")
        logits = layers.linear(ops.tanh(dense), last)
        return ov.Model([logits], inputs.ordered())
    except RuntimeError as error:
        raise _misfit(weights) from error


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
