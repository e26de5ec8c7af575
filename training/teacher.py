"""A larger reader that teaches the small one: all-mpnet-base-v2 with the same two heads.

It is too slow to be shipped, and reads better. What it makes of a pair is a better lesson than the
plain yes or no of the data.
"""

import json
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from training.network import DROPOUT, EncoderLayer, PairNetwork, norm_of

LAYERS = 12
LAYER_NORM_EPS = 1e-5
# Of positions relative to each other: as many classes, the farther the coarser.
BUCKETS, MAX_DISTANCE = 32, 128
# Positions are counted after these.
FIRST_POSITION = 2
# What the two models call the marks around texts, and what is not known.
_MARKS = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>"}


class TeacherLayer(EncoderLayer):
    """One layer of MPNet."""

    def __init__(self, tensors: dict[str, Tensor], name: str) -> None:
        super().__init__()
        attention = f"{name}.attention"
        self.query = _linear(tensors, f"{attention}.attn.q")
        self.key = _linear(tensors, f"{attention}.attn.k")
        self.value = _linear(tensors, f"{attention}.attn.v")
        self.attended = _linear(tensors, f"{attention}.attn.o")
        self.wide = _linear(tensors, f"{name}.intermediate.dense")
        self.narrow = _linear(tensors, f"{name}.output.dense")
        self.first_norm = norm_of(tensors, f"{attention}.LayerNorm", LAYER_NORM_EPS)
        self.second_norm = norm_of(tensors, f"{name}.output.LayerNorm", LAYER_NORM_EPS)


class TeacherNetwork(PairNetwork):
    """Reads pairs as the reader's network does, and takes the same ids.

    `ids` gives for each id of the small model's vocabulary the one of the large model's.
    """

    def __init__(self, tensors: dict[str, Tensor], ids: Tensor) -> None:
        super().__init__()
        self.register_buffer("ids", ids)
        self.words = nn.Embedding.from_pretrained(
            tensors["embeddings.word_embeddings.weight"], freeze=False
        )
        self.positions = nn.Embedding.from_pretrained(
            tensors["embeddings.position_embeddings.weight"], freeze=False
        )
        width = self.words.weight.shape[1]
        # The large model knows no types; they begin as nothing.
        self.types = nn.Parameter(torch.zeros(2, width))
        self.norm = norm_of(tensors, "embeddings.LayerNorm", LAYER_NORM_EPS)
        self.distances = nn.Embedding.from_pretrained(
            tensors["encoder.relative_attention_bias.weight"], freeze=False
        )
        self.layers = nn.ModuleList(
            TeacherLayer(tensors, f"encoder.layer.{number}") for number in range(LAYERS)
        )
        self.relevance = nn.Linear(2 * width, 1)
        self.answer = nn.Linear(2 * width, 1)

    def encode(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """The hidden states of all tokens."""
        length = ids.shape[1]
        places = torch.arange(length, device=ids.device)
        x = self.words(self.ids[ids]) + self.positions(places + FIRST_POSITION) + self.types[types]
        x = functional.dropout(self.norm(x), DROPOUT, self.training)
        bias = self.distances(distance_class(places[None, :] - places[:, None])).permute(2, 0, 1)
        allowed = bias[None].masked_fill(~mask[:, None, None, :], -1e4)
        if torch.is_autocast_enabled(ids.device.type):
            # Once: each layer would keep a copy of its own.
            allowed = allowed.to(torch.get_autocast_dtype(ids.device.type))
        for layer in self.layers:
            # What is between is computed again on the way back; it would not fit into memory.
            x = (
                checkpoint(layer, x, allowed, use_reentrant=False)
                if self.training
                else layer(x, allowed)
            )
        return x


def distance_class(distance: Tensor) -> Tensor:
    """The class of a distance, as MPNet has them: exact up to 8, then in ever wider steps."""
    half = BUCKETS // 2
    exact = half // 2
    far = distance.abs()
    steps = torch.log(far.clamp(min=1).float() / exact) / math.log(MAX_DISTANCE / exact)
    coarse = (exact + (steps * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(far < exact, far, coarse) + half * (distance > 0)


def load_teacher(model: Path, reader_model: Path) -> TeacherNetwork:
    """The teacher before its training, from the folder of all-mpnet-base-v2."""
    tensors = {
        name.removeprefix("mpnet."): tensor.float()
        for name, tensor in load_file(model / "model.safetensors").items()
        if tensor.is_floating_point()
    }
    return TeacherNetwork(tensors, _ids(reader_model, model))


def trained_teacher(model: Path, reader_model: Path, weights: Path) -> TeacherNetwork:
    """The teacher with the weights that `teach` wrote, ready to read."""
    teacher = load_teacher(model, reader_model)
    teacher.load_state_dict(load_file(weights))
    return teacher.eval()


def _ids(reader_model: Path, teacher_model: Path) -> Tensor:
    """For each token of the reader the teacher's."""
    known, ours = _vocabulary(teacher_model), _vocabulary(reader_model)
    unknown = known["[UNK]"]
    ids = torch.full((max(ours.values()) + 1,), unknown)
    for token, number in ours.items():
        ids[number] = known.get(_MARKS.get(token, token), unknown)
    return ids


def _vocabulary(model: Path) -> dict[str, int]:
    told = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))
    added = {one["content"]: one["id"] for one in told.get("added_tokens", ())}
    return told["model"]["vocab"] | added


def _linear(tensors: dict[str, Tensor], name: str) -> nn.Linear:
    weight = tensors[f"{name}.weight"]
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    linear.load_state_dict({"weight": weight, "bias": tensors[f"{name}.bias"]})
    return linear
