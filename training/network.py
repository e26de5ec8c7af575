"""The reader's network: a BERT encoder with low-rank changes, and two linear heads."""

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

RANK = 80
HEADS = 12
LAYERS = 6
LAYER_NORM_EPS = 1e-12
DROPOUT = 0.1


class LowRankLinear(nn.Module):
    """A linear layer whose weight is frozen, plus a trained change of low rank."""

    def __init__(self, weight: Tensor, bias: Tensor, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.bias = nn.Parameter(bias.clone())
        self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
        self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))
        self._merged: Tensor | None = None

    def merge(self) -> None:
        """Compute the weight once for all that is read until the next step."""
        self._merged = self.weight + self.up @ self.down

    def forward(self, x: Tensor) -> Tensor:
        if self._merged is None:
            self.merge()
        return functional.linear(x, self._merged, self.bias)


class EncoderLayer(nn.Module):
    """One layer of an encoder; what it is made of, each model brings along."""

    query: nn.Module
    key: nn.Module
    value: nn.Module
    attended: nn.Module
    wide: nn.Module
    narrow: nn.Module
    first_norm: nn.Module
    second_norm: nn.Module

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, tokens, width = x.shape

        def heads(y: Tensor) -> Tensor:
            return y.view(rows, tokens, HEADS, width // HEADS).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(self.query(x)),
            heads(self.key(x)),
            heads(self.value(x)),
            attn_mask=mask,
            dropout_p=DROPOUT if self.training else 0.0,
        )
        mixed = mixed.transpose(1, 2).reshape(rows, tokens, width)
        x = self.first_norm(x + self._dropped(self.attended(mixed)))
        narrow = self.narrow(functional.gelu(self.wide(x)))
        return self.second_norm(x + self._dropped(narrow))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, DROPOUT, self.training)


class Layer(EncoderLayer):
    """One layer of BERT."""

    def __init__(self, tensors: dict[str, Tensor], name: str, rank: int) -> None:
        super().__init__()

        def linear(part: str) -> LowRankLinear:
            return LowRankLinear(
                tensors[f"{name}.{part}.weight"], tensors[f"{name}.{part}.bias"], rank
            )

        self.query = linear("attention.self.query")
        self.key = linear("attention.self.key")
        self.value = linear("attention.self.value")
        self.attended = linear("attention.output.dense")
        self.wide = linear("intermediate.dense")
        self.narrow = linear("output.dense")
        self.first_norm = norm_of(tensors, f"{name}.attention.output.LayerNorm")
        self.second_norm = norm_of(tensors, f"{name}.output.LayerNorm")


class PairNetwork(nn.Module):
    """Reads pairs of question and passage with an encoder and two heads.

    Gives the relevance of each passage, and a score for each token; the score of a sentence is the
    mean of its tokens'.
    """

    relevance: nn.Linear
    answer: nn.Linear

    def encode(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """The hidden states of all tokens."""
        raise NotImplementedError

    def merge(self) -> None:
        """Take the trained changes into account from here on."""
        for one in self.modules():
            if isinstance(one, LowRankLinear):
                one.merge()

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The relevance of each row, and the answer score of each token."""
        hidden = self.encode(ids, types, mask).float()
        weight = mask.float()[:, :, None]
        mean = (hidden * weight).sum(1) / weight.sum(1)
        first = hidden[:, 0]
        relevance = self.relevance(torch.cat([first, mean], 1)).squeeze(1)
        own, whole = self.answer.weight[0].chunk(2)
        tokens = hidden @ own + (first @ whole)[:, None] + self.answer.bias
        return relevance, tokens


class ReaderNetwork(PairNetwork):
    """The reader: all-MiniLM-L6-v2 with low-rank changes."""

    def __init__(self, tensors: dict[str, Tensor], rank: int = RANK) -> None:
        super().__init__()
        self.register_buffer("words", tensors["embeddings.word_embeddings.weight"])
        self.register_buffer("positions", tensors["embeddings.position_embeddings.weight"])
        self.types = nn.Parameter(tensors["embeddings.token_type_embeddings.weight"].clone())
        self.norm = norm_of(tensors, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(
            Layer(tensors, f"encoder.layer.{number}", rank) for number in range(LAYERS)
        )
        width = self.words.shape[1]
        self.relevance = nn.Linear(2 * width, 1)
        self.answer = nn.Linear(2 * width, 1)

    def encode(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """The hidden states of all tokens."""
        x = self.words[ids] + self.positions[: ids.shape[1]] + self.types[types]
        x = self.norm(x)
        allowed = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, allowed)
        return x


def sentence_scores(tokens: Tensor, sentences: Tensor, count: int) -> Tensor:
    """The mean score of each sentence's tokens; minus infinity for those that are not there.

    `sentences` names the sentence of each token, -1 for none.
    """
    known = sentences >= 0
    place = sentences.clamp(min=0)
    zero = torch.zeros(len(tokens), count, device=tokens.device)
    total = zero.scatter_add(1, place, torch.where(known, tokens, 0.0))
    size = zero.scatter_add(1, place, known.float())
    return torch.where(size > 0, total / size.clamp(min=1), -torch.inf)


def norm_of(tensors: dict[str, Tensor], name: str, eps: float = LAYER_NORM_EPS) -> nn.LayerNorm:
    """The normalization with the weights of that name."""
    weight = tensors[f"{name}.weight"]
    norm = nn.LayerNorm(len(weight), eps=eps)
    norm.load_state_dict({"weight": weight, "bias": tensors[f"{name}.bias"]})
    return norm


def load_base(model: Path) -> dict[str, Tensor]:
    """The tensors of the bundled model."""
    return {
        name.removeprefix("bert."): tensor.float()
        for name, tensor in load_file(model / "model.safetensors").items()
        if tensor.is_floating_point()
    }


def save_trained(network: nn.Module, path: Path) -> None:
    """Keep what was trained, without what stayed frozen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: one.detach().half().contiguous() for name, one in network.named_parameters()}
    save_file(kept, path)
