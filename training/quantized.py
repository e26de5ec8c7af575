"""Weights of 4 and 6 bits, as GGUF files hold them, as plain numbers.

A block is 256 neighbouring weights of a row. With 4 bits it has a scale and a floor for each 32 of
them, with 6 bits a scale for each 16.
"""

import torch
from torch import Tensor

BLOCK = 256
FOUR_BITS, SIX_BITS = 144, 210


def plain(rows: Tensor, width: int) -> Tensor:
    """The weights of rows of bytes, as f32; the number of bytes says how they are kept."""
    size = rows.shape[1] * BLOCK // width
    blocks = rows.reshape(-1, size)
    read = {FOUR_BITS: _four_bits, SIX_BITS: _six_bits}[size]
    return read(blocks).reshape(len(rows), width)


def _four_bits(blocks: Tensor) -> Tensor:
    scale, floor = _halves(blocks[:, 0:2]), _halves(blocks[:, 2:4])
    packed = blocks[:, 4:16].reshape(-1, 3, 4)
    first, second, rest = packed.unbind(1)
    scales = torch.cat([first & 63, (rest & 15) | ((first >> 6) << 4)], 1)
    floors = torch.cat([second & 63, (rest >> 4) | ((second >> 6) << 4)], 1)
    bits = blocks[:, 16:].reshape(-1, 4, 1, 32)
    weights = torch.cat([bits & 15, bits >> 4], 2).reshape(-1, 8, 32)
    return (scale * scales)[:, :, None] * weights - (floor * floors)[:, :, None]


def _six_bits(blocks: Tensor) -> Tensor:
    low = blocks[:, :128].reshape(-1, 2, 1, 64)
    high = blocks[:, 128:192].reshape(-1, 2, 1, 32)
    scales = blocks[:, 192:208].contiguous().view(torch.int8)
    scale = _halves(blocks[:, 208:210])
    lows = torch.cat([low & 15, low >> 4], 2).reshape(-1, 8, 32)
    highs = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8, 32)
    weights = (lows | (highs << 4)).to(torch.int8) - 32
    return (scale * scales)[:, :, None] * weights.reshape(-1, 16, 16)


def _halves(pairs: Tensor) -> Tensor:
    return pairs.contiguous().view(torch.float16).float()
