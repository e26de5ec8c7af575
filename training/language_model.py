"""Qwen2.5-Coder-1.5B-Instruct with trained changes of low rank, for what reads and what writes.

Its weights stay as they come, in 4 and 6 bits (`training.unpack` takes them out of their file).
"""

from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from training.quantized import plain

RANK = 16
SCALE = 2.0
HEADS, KEY_HEADS = 12, 2
EPS = 1e-6
ROPE_BASE = 1_000_000.0
_PARTS = {
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "attended": "attn_output",
    "gate": "ffn_gate",
    "wide": "ffn_up",
    "narrow": "ffn_down",
}
Turns = tuple[Tensor, Tensor]


class _LowRankProduct(torch.autograd.Function):
    """A product with a merged weight, of which only the change of low rank gets a gradient."""

    @staticmethod
    def forward(ctx, x: Tensor, merged: Tensor, down: Tensor, up: Tensor) -> Tensor:
        ctx.save_for_backward(x, merged, down, up)
        return x @ merged.T

    @staticmethod
    def backward(ctx, gradient: Tensor):
        x, merged, down, up = ctx.saved_tensors
        flat, of = x.flatten(0, -2), gradient.flatten(0, -2)
        through = of @ (SCALE * up).to(of.dtype)
        narrowed = flat @ (SCALE * down).to(of.dtype).T
        return gradient @ merged, None, (through.T @ flat).float(), (of.T @ narrowed).float()


class _Gated(torch.autograd.Function):
    """`silu(gate) * wide`, of which nothing is kept but the two."""

    @staticmethod
    def forward(ctx, gate: Tensor, wide: Tensor) -> Tensor:
        ctx.save_for_backward(gate, wide)
        return functional.silu(gate) * wide

    @staticmethod
    def backward(ctx, gradient: Tensor):
        gate, wide = ctx.saved_tensors
        of_gate = torch.ops.aten.silu_backward(gradient * wide, gate)
        return of_gate, gradient * functional.silu(gate)


class LowRankPart(nn.Module):
    """A linear layer with a frozen weight of a few bits, and a trained change."""

    def __init__(self, tensors: dict[str, Tensor], name: str, width: int) -> None:
        super().__init__()
        self.register_buffer("weight", plain(tensors[f"{name}.weight"], width), persistent=False)
        self.register_buffer("bias", tensors.get(f"{name}.bias"), persistent=False)
        self.down = nn.Parameter(torch.randn(RANK, width) / width**0.5)
        self.up = nn.Parameter(torch.zeros(len(self.weight), RANK))
        self._merged = torch.empty(0)

    @torch.no_grad()
    def merge(self, dtype: torch.dtype) -> None:
        """Compute the weight once for all that is read until the next step.

        The frozen weight is kept in f32: on the grid of bf16 a small change would be lost.
        """
        self._merged = torch.addmm(self.weight, self.up, self.down, alpha=SCALE).to(dtype)

    def forward(self, x: Tensor) -> Tensor:
        made = _LowRankProduct.apply(x, self._merged, self.down, self.up)
        return made if self.bias is None else made + self.bias.to(made.dtype)


@dataclass(slots=True)
class Past:
    """What was read of rows so far, with room for more; `seen` tells which tokens are none."""

    seen: Tensor
    room: int
    length: int = 0
    kept: list[tuple[Tensor, Tensor]] = field(default_factory=list)

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keep what a layer made of the next tokens; all that it made."""
        if layer == len(self.kept):
            rows, heads, _, size = key.shape
            empty = key.new_zeros(rows, heads, self.room, size)
            self.kept.append((empty, empty.clone()))
        end = self.length + key.shape[2]
        for kept, new in zip(self.kept[layer], (key, value), strict=True):
            kept[:, :, self.length : end] = new
        keys, values = self.kept[layer]
        return keys[:, :, :end], values[:, :, :end]


class Layer(nn.Module):
    """One layer of Qwen2."""

    def __init__(self, tensors: dict[str, Tensor], number: int) -> None:
        super().__init__()
        name = f"blk.{number}"
        self._number = number
        self.register_buffer("first", tensors[f"{name}.attn_norm.weight"], persistent=False)
        self.register_buffer("second", tensors[f"{name}.ffn_norm.weight"], persistent=False)
        width = len(self.first)
        wide = tensors[f"{name}.ffn_gate.weight"].shape[0]
        for part, kept in _PARTS.items():
            of = wide if part == "narrow" else width
            setattr(self, part, LowRankPart(tensors, f"{name}.{kept}", of))

    def forward(self, x: Tensor, turns: Turns, past: Past | None) -> Tensor:
        rows, tokens, width = x.shape

        def heads(y: Tensor) -> Tensor:
            return y.view(rows, tokens, -1, width // HEADS).transpose(1, 2)

        h = _norm(x, self.first)
        query, key = _turned(heads(self.query(h)), turns), _turned(heads(self.key(h)), turns)
        value = heads(self.value(h))
        mixed = (
            _attended(query, key, value)
            if past is None
            else _after(past, query, *past.extended(self._number, key, value))
        )
        x = x + self.attended(mixed.transpose(1, 2).reshape(rows, tokens, width))
        h = _norm(x, self.second)
        return x + self.narrow(_Gated.apply(self.gate(h), self.wide(h)))


class LanguageModel(nn.Module):
    """The model without what makes words of its states."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        super().__init__()
        width = len(tensors["output_norm.weight"])
        self.register_buffer("words", plain(tensors["token_embd.weight"], width), persistent=False)
        self.register_buffer("norm", tensors["output_norm.weight"], persistent=False)
        layers = sum(name.endswith(".attn_norm.weight") for name in tensors)
        self.layers = nn.ModuleList(Layer(tensors, number) for number in range(layers))
        self.dtype = torch.float32

    def merge(self) -> None:
        """Take the trained changes into account from here on."""
        for one in self.modules():
            if isinstance(one, LowRankPart):
                one.merge(self.dtype)

    def encode(self, ids: Tensor, past: Past | None = None) -> Tensor:
        """The states of all tokens, about 1 in size: the weight of the last norm is left out."""
        x = self.words[ids].to(self.dtype)
        first = past.length if past else 0
        turns = self._turns(first, ids.shape[1], x.shape[2] // HEADS)
        for layer in self.layers:
            x = layer(x, turns, past)
        if past:
            past.length += ids.shape[1]
        return functional.rms_norm(x, x.shape[-1:], eps=EPS)

    def _turns(self, first: int, count: int, size: int) -> Turns:
        device = self.words.device
        places = torch.arange(first, first + count, device=device, dtype=torch.float32)
        steps = torch.arange(0, size, 2, device=device, dtype=torch.float32)
        angles = places[:, None] * ROPE_BASE ** (-steps / size)[None]
        angles = torch.cat([angles, angles], 1)
        return angles.cos().to(self.dtype), angles.sin().to(self.dtype)


def load_tensors(folder: Path, device: str) -> dict[str, Tensor]:
    """The weights as `training.unpack` keeps them; a GPU makes plain numbers of them sooner."""
    return load_file(folder / "model.safetensors", device=device)


def load_changes(network: LanguageModel, path: Path) -> None:
    """Take over what was kept; from then on nothing is trained."""
    network.load_state_dict({name: one.float() for name, one in load_file(path).items()})
    network.eval()
    network.merge()


def on_device(network: LanguageModel, device: str) -> LanguageModel:
    """The network there, in bf16 if it is a GPU."""
    network.to(device)
    network.dtype = torch.bfloat16 if device == "cuda" else torch.float32
    return network


def _attended(query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | None = None) -> Tensor:
    """Each token attends to those that are allowed, or to all up to itself."""
    shared = HEADS // KEY_HEADS
    return functional.scaled_dot_product_attention(
        query,
        keys.repeat_interleave(shared, 1),
        values.repeat_interleave(shared, 1),
        attn_mask=allowed,
        is_causal=allowed is None,
    )


def _after(past: Past, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attend to what was read so far, too; rows may begin with tokens that are none."""
    rows, heads, tokens, size = query.shape
    end = keys.shape[2]
    allowed = past.seen[:, None, None, :end]
    if tokens > 1:
        places = torch.arange(end, device=query.device)
        causal = places[None, :] <= places[end - tokens :, None]
        itself = places[None, :] == places[end - tokens :, None]
        return _attended(query, keys, values, (allowed & causal) | itself)
    # The heads that share a key are read as if they were tokens.
    grouped = query.view(rows, KEY_HEADS, heads // KEY_HEADS, size)
    mixed = functional.scaled_dot_product_attention(grouped, keys, values, attn_mask=allowed)
    return mixed.reshape(rows, heads, 1, size)


def _norm(x: Tensor, weight: Tensor) -> Tensor:
    return functional.rms_norm(x, x.shape[-1:], weight.to(x.dtype), EPS)


def _turned(x: Tensor, turns: Turns) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * turns[0] + torch.cat([-second, first], -1) * turns[1]
