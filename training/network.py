"""The reader's network: a BERT encoder with low-rank changes, and two linear heads."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from training.config import Config
from training.pairs import Batch

LAYER_NORM_EPS = 1e-12
Tensors = Mapping[str, Tensor]


class LowRankLinear(nn.Module):
    """A linear layer whose weight is frozen, plus a trained change of low rank."""

    def __init__(self, tensors: Tensors, name: str, rank: int) -> None:
        super().__init__()
        weight = tensors[f"{name}.weight"]
        self.register_buffer("weight", weight)
        self.bias = nn.Parameter(tensors[f"{name}.bias"].clone())
        self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
        self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight + self.up @ self.down, self.bias)


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, tensors: Tensors, name: str, config: Config) -> None:
        super().__init__()
        self._heads, self._dropout = config.head_width, config.dropout
        self.query = LowRankLinear(tensors, f"{name}.attention.self.query", config.rank)
        self.key = LowRankLinear(tensors, f"{name}.attention.self.key", config.rank)
        self.value = LowRankLinear(tensors, f"{name}.attention.self.value", config.rank)
        self.attended = LowRankLinear(tensors, f"{name}.attention.output.dense", config.rank)
        self.wide = LowRankLinear(tensors, f"{name}.intermediate.dense", config.rank)
        self.narrow = LowRankLinear(tensors, f"{name}.output.dense", config.rank)
        self.first_norm = _norm(tensors, f"{name}.attention.output.LayerNorm")
        self.second_norm = _norm(tensors, f"{name}.output.LayerNorm")

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, length, width = x.shape

        def heads(y: Tensor) -> Tensor:
            return y.view(rows, length, -1, self._heads).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(self.query(x)),
            heads(self.key(x)),
            heads(self.value(x)),
            attn_mask=mask,
            dropout_p=self._dropout if self.training else 0.0,
        )
        mixed = mixed.transpose(1, 2).reshape(rows, length, width)
        x = self.first_norm(x + self._dropped(self.attended(mixed)))
        narrow = self.narrow(functional.gelu(self.wide(x)))
        return self.second_norm(x + self._dropped(narrow))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self._dropout, self.training)


class ReaderNetwork(nn.Module):
    """Gives the relevance of each pair, and the mean score of each statement's tokens."""

    def __init__(self, tensors: Tensors, config: Config) -> None:
        super().__init__()
        self.register_buffer("words", tensors["embeddings.word_embeddings.weight"])
        self.register_buffer("positions", tensors["embeddings.position_embeddings.weight"])
        self.types = nn.Parameter(tensors["embeddings.token_type_embeddings.weight"].clone())
        self.norm = _norm(tensors, "embeddings.LayerNorm")
        count = 1 + max(int(name.split(".")[2]) for name in tensors if "encoder.layer." in name)
        self.layers = nn.ModuleList(
            Layer(tensors, f"encoder.layer.{number}", config) for number in range(count)
        )
        width = self.words.shape[1]
        self.relevance = nn.Linear(2 * width, 1)
        self.answer = nn.Linear(2 * width, 1)

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The hidden states of all tokens, and their mean for each row."""
        x = self.words[batch.ids] + self.positions[: batch.ids.shape[1]]
        # By hand, not by index, whose gradient of two rows takes longer than all layers.
        x = self.norm(x + torch.lerp(*self.types, batch.types[:, :, None].float()))
        for layer in self.layers:
            x = layer(x, batch.mask[:, None, None, :])
        hidden, weight = x.float(), batch.mask.float()[:, :, None]
        return hidden, (hidden * weight).sum(1) / weight.sum(1)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The relevance of each row, and the scores of its statements, -inf for none."""
        hidden, mean = self.encode(batch)
        first = hidden[:, 0]
        relevance = self.relevance(torch.cat([first, mean], 1)).squeeze(1)
        own, whole = self.answer.weight[0].chunk(2)
        tokens = hidden @ own + (first @ whole)[:, None] + self.answer.bias
        return relevance, _mean_of_each(tokens.float(), batch.statements, batch.count)


def _mean_of_each(tokens: Tensor, statements: Tensor, count: int) -> Tensor:
    known = statements >= 0
    place = statements.clamp(min=0)
    zero = torch.zeros(len(tokens), count, device=tokens.device)
    total = zero.scatter_add(1, place, torch.where(known, tokens, 0.0))
    size = zero.scatter_add(1, place, known.float())
    return torch.where(size > 0, total / size.clamp(min=1), -torch.inf)


def _norm(tensors: Tensors, name: str) -> nn.LayerNorm:
    weight = tensors[f"{name}.weight"]
    norm = nn.LayerNorm(len(weight), eps=LAYER_NORM_EPS)
    norm.load_state_dict({"weight": weight, "bias": tensors[f"{name}.bias"]})
    return norm


def load_base(model: Path) -> dict[str, Tensor]:
    """The tensors of the model that the adapter stands on."""
    return {
        name.removeprefix("bert."): tensor.float()
        for name, tensor in load_file(model / "model.safetensors").items()
        if tensor.is_floating_point()
    }
