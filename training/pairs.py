"""Turns questions and passages into token ids, and lists of them into padded batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.prepared import EXAMPLES_FILE, PASSAGES_FILE, numbered, numbers_of, read_lines

MAX_TOKENS = 400
MAX_QUESTION_TOKENS = 64
MAX_HEADING_TOKENS = 32
# The ids, types and sentences of the tokens of a pair.
Row = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True, slots=True)
class TokenizedPassage:
    """A passage as ids; `sentences` names the sentence of each token, -1 for none."""

    id: int
    corpus: str
    document: str
    order: int
    heading: tuple[int, ...]
    ids: tuple[int, ...]
    sentences: tuple[int, ...]
    count: int

    def kept(self, only: range | None) -> range:
        """The places of its tokens: of all, or from the first to the last of `only` sentences."""
        every = range(len(self.ids))
        if only is None:
            return every
        tokens = [n for n in every if self.sentences[n] in only]
        return range(tokens[0], tokens[-1] + 1) if tokens else every


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of the same length, and how many sentences the longest has."""

    ids: Tensor
    types: Tensor
    mask: Tensor
    sentences: Tensor
    count: int


class PairTokenizer:
    """Reads `[CLS] question [SEP] heading passage [SEP]`."""

    def __init__(self, model: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.first = self._tokenizer.token_to_id("[CLS]")
        self.separator = self._tokenizer.token_to_id("[SEP]")

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of texts, without marks."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [one.ids for one in encodings]

    def passages(self, lines: Sequence[dict]) -> list[TokenizedPassage]:
        """Tokenize passages, each token with its sentence."""
        return tokenized(self._tokenizer, lines, MAX_HEADING_TOKENS)

    def row(
        self,
        question: Sequence[int],
        passage: TokenizedPassage,
        *,
        heading: bool = True,
        only: range | None = None,
    ) -> Row:
        """The ids, types and sentences of a pair; `only` some neighbouring sentences of it."""
        asked = [self.first, *question[:MAX_QUESTION_TOKENS], self.separator]
        title = list(passage.heading) if heading else []
        room = MAX_TOKENS - len(asked) - len(title) - 1
        kept = passage.kept(only)[:room]
        text = [passage.ids[n] for n in kept]
        sentences = [passage.sentences[n] for n in kept]
        ids = [*asked, *title, *text, self.separator]
        types = [0] * len(asked) + [1] * (len(title) + len(text) + 1)
        return ids, types, [-1] * (len(asked) + len(title)) + sentences + [-1]


class PairRows:
    """Makes rows of a question and some of the passages, as the reader's network takes them."""

    def __init__(self, model: Path, passages: Sequence[TokenizedPassage]) -> None:
        self._tokenizer = PairTokenizer(model)
        self._passages = passages

    def rows(
        self, question: str, chosen: Sequence[tuple[int, range | None]], *, heading: bool
    ) -> list[Row]:
        """A row for each passage, of which perhaps only some sentences are read."""
        (ids,) = self._tokenizer.ids([question])
        return [
            self._tokenizer.row(ids, self._passages[number], heading=heading, only=only)
            for number, only in chosen
        ]


def tokenized(
    tokenizer: Tokenizer, lines: Sequence[dict], max_heading: int
) -> list[TokenizedPassage]:
    """Passages as ids, each token with its sentence."""
    encodings, headings = (
        tokenizer.encode_batch(texts, add_special_tokens=False)
        for texts in (
            [line["text"] for line in lines],
            [line.get("heading", "") for line in lines],
        )
    )
    return [
        TokenizedPassage(
            line["id"],
            line.get("corpus", ""),
            line.get("document", ""),
            line.get("order", 0),
            tuple(heading.ids[-max_heading:]),
            tuple(encoding.ids),
            _sentence_of_each(encoding.offsets, line["sentences"]),
            len(line["sentences"]),
        )
        for line, heading, encoding in zip(lines, headings, encodings, strict=True)
    ]


def padded(rows: Sequence[Row], device: str) -> Batch:
    """A batch as long as its longest row, rounded up so that few shapes occur."""
    length = -(-max(len(ids) for ids, _, _ in rows) // 32) * 32
    filled = [np.zeros((len(rows), length), np.int64) for _ in range(3)]
    filled[2] -= 1
    for number, row in enumerate(rows):
        for target, values in zip(filled, row, strict=True):
            target[number, : len(values)] = values
    lengths = np.array([len(ids) for ids, _, _ in rows])
    mask = torch.from_numpy(np.arange(length) < lengths[:, None])
    ids, types, sentences = (torch.from_numpy(one).to(device, non_blocking=True) for one in filled)
    return Batch(ids, types, mask.to(device), sentences, int(filled[2].max()) + 1 or 1)


def read_prepared(
    folder: Path, tokenizer: PairTokenizer
) -> tuple[list[TokenizedPassage], list[dict]]:
    """The passages and the examples that `prepare` wrote; passages are numbered as they stand."""
    lines = read_lines(folder / PASSAGES_FILE)
    numbers = numbers_of(lines)
    examples = [
        line | {"passage": numbers[line["passage"]]} for line in read_lines(folder / EXAMPLES_FILE)
    ]
    return tokenizer.passages(numbered(lines)), examples


def _sentence_of_each(
    offsets: Sequence[tuple[int, int]], sentences: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The sentence that each token stands in, -1 for none."""
    found, number = [], 0
    for start, end in offsets:
        while number < len(sentences) and sentences[number][1] <= start:
            number += 1
        inside = number < len(sentences) and sentences[number][0] <= start and end > start
        found.append(number if inside else -1)
    return tuple(found)
