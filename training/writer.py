"""A language model that writes, for the reader to learn from."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from training.language_model import LanguageModel, Past

# What is less likely than this, beside the most likely token, is not written.
LEAST_LIKELY = 0.05


class Writer(LanguageModel):
    """Writes one token after another."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        super().__init__(tensors)
        # Words that were left out of the file are all zeros.
        self.register_buffer("known", self.words.any(1).nonzero().squeeze(1), persistent=False)
        place = torch.full((len(self.words),), -1, device=self.words.device)
        place[self.known] = torch.arange(len(self.known), device=self.words.device)
        self.register_buffer("place", place, persistent=False)

    def loss(self, ids: Tensor, wanted: Tensor) -> Tensor:
        """How unlikely each wanted token is after those before it; -1 where none is wanted."""
        hidden = self.encode(ids)
        # -1 for words that were left out, too.
        places = torch.where(wanted >= 0, self.place[wanted], -1)
        logits = (hidden[places >= 0] @ self._output()).float()
        return functional.cross_entropy(logits, places[places >= 0])

    def _output(self) -> Tensor:
        """What makes words of states: the model's own words, with the weight of its last norm."""
        return (self.words[self.known] * self.norm).to(self.dtype).T.contiguous()

    @torch.inference_mode()
    def write(self, told: Sequence[Sequence[int]], *, most: int, end: int) -> list[list[int]]:
        """Go on after each row until its end, or as long as may be."""
        device = self.words.device
        length = max(map(len, told))
        ids = torch.zeros(len(told), length, dtype=torch.int64)
        seen = torch.ones(len(told), length + most, dtype=torch.bool)
        for number, row in enumerate(told):
            ids[number, length - len(row) :] = torch.tensor(row)
            seen[number, : length - len(row)] = False
        past = Past(seen.to(device), length + most)
        words = self._output()
        hidden = self.encode(ids.to(device), past)[:, -1]
        written, ended = [], torch.zeros(len(told), dtype=torch.bool, device=device)
        for number in range(most):
            chosen = self.known[_drawn(hidden @ words)]
            written.append(chosen)
            ended |= chosen == end
            if number % 16 == 0 and bool(ended.all()):
                break
            hidden = self.encode(chosen[:, None], past)[:, -1]
        rows = torch.stack(written, 1).tolist()
        return [row[: row.index(end)] if end in row else row for row in rows]


def _drawn(logits: Tensor) -> Tensor:
    """A token of each row, each as often as it is likely."""
    logits = logits.float()
    least = logits.amax(1, keepdim=True) + torch.log(torch.tensor(LEAST_LIKELY))
    noise = -torch.log(-torch.log(torch.rand_like(logits).clamp(1e-9, 1 - 1e-7)))
    return (logits + noise).masked_fill(logits < least, -torch.inf).argmax(1)
