"""A language model that reads: it teaches the reader, and is far too large to be shipped.

It is asked whether a text answers a question. Its relevance begins as how much more likely it would
say "Yes" than "No"; a sentence is scored at its last token, by what the model has read until there
and by what it thinks at the end.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from training.language_model import LanguageModel, load_changes, load_tensors, on_device
from training.pairs import Row, TokenizedPassage, tokenized
from training.quantized import plain

MATCH = 128
MAX_TEXT_TOKENS = 448
MAX_QUESTION_TOKENS = 80
MAX_HEADING_TOKENS = 40


class LanguageReader(LanguageModel):
    """Reads rows of `ChatRows` as the reader's network reads its own."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        super().__init__(tensors)
        width = len(self.norm)
        yes, no = plain(tensors["yes_no.weight"], width)
        self.relevance = nn.Linear(width, 1)
        self.answer = nn.Linear(width, 1)
        self.sentence = nn.Linear(width, MATCH, bias=False)
        self.whole = nn.Linear(width, MATCH, bias=False)
        with torch.no_grad():
            self.relevance.weight.copy_((yes - no) * self.norm)
            for one in (self.relevance.bias, self.answer.weight, self.answer.bias):
                one.zero_()
            for one in (self.sentence, self.whole):
                nn.init.normal_(one.weight, std=0.5 / width**0.5)

    def forward(self, ids: Tensor, sentences: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The relevance of each row, and for each token the score of its sentence."""
        with torch.autocast(ids.device.type, enabled=False):
            hidden = self.encode(ids)
            rows = torch.arange(len(ids), device=ids.device)
            end = hidden[rows, mask.sum(1) - 1].float()
            relevance = self.relevance(end).squeeze(1)
            last, of_token = _last_of_each(sentences)
            at_last = hidden.gather(1, last[:, :, None].expand(-1, -1, hidden.shape[2])).float()
            matched = (self.sentence(at_last) @ self.whole(end)[:, :, None]).squeeze(2)
            scores = self.answer(at_last).squeeze(2) + matched / math.sqrt(MATCH)
            return relevance, scores.gather(1, of_token)


def _last_of_each(sentences: Tensor) -> tuple[Tensor, Tensor]:
    """The place of each sentence's last token, and for each token its sentence (or the first)."""
    count = max(1, int(sentences.max()) + 1)
    of_token = sentences.clamp(min=0)
    places = torch.arange(sentences.shape[1], device=sentences.device).expand_as(sentences)
    places = torch.where(sentences >= 0, places, 0)
    last = torch.zeros(len(sentences), count, dtype=torch.int64, device=sentences.device)
    return last.scatter_reduce(1, of_token, places, "amax"), of_token


def tuned_reader(folder: Path, weights: Path, device: str) -> LanguageReader:
    """The reader with the changes that `training.tune` wrote, ready to read."""
    network = on_device(LanguageReader(load_tensors(folder, device)), device)
    load_changes(network, weights)
    return network


class ChatRows:
    """Asks `Does the text answer the question?` about pairs of question and passage."""

    def __init__(self, folder: Path, lines: Sequence[dict]) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._before = self._ids("<|im_start|>user\nQuestion: ")
        self._text = self._ids("\n\nText:\n")
        self._asked = self._ids("\n\nQuestion: ")
        self._after = self._ids(
            "\nDoes the text answer the question? Yes or No.<|im_end|>\n<|im_start|>assistant\n"
        )
        self._between = self._ids("\n\n")
        self._passages = tokenized(self._tokenizer, lines, MAX_HEADING_TOKENS)

    def rows(
        self, question: str, chosen: Sequence[tuple[int, range | None]], *, heading: bool
    ) -> list[Row]:
        """A row for each passage, of which perhaps only some sentences are read."""
        ids = self._ids(question)[:MAX_QUESTION_TOKENS]
        return [self._row(ids, self._passages[number], only, heading) for number, only in chosen]

    def _row(
        self, question: list[int], passage: TokenizedPassage, only: range | None, heading: bool
    ) -> Row:
        kept = passage.kept(only)[:MAX_TEXT_TOKENS]
        title = [*passage.heading, *self._between] if heading and passage.heading else []
        head = [*self._before, *question, *self._text, *title]
        tail = [*self._asked, *question, *self._after]
        ids = [*head, *(passage.ids[n] for n in kept), *tail]
        sentences = [-1] * len(head) + [passage.sentences[n] for n in kept] + [-1] * len(tail)
        return ids, sentences, sentences

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids
