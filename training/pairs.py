"""Turns questions and passages into token ids, and lists of them into padded batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.questions import Line

# As the product reads: `sourcebook.providers.readers.reading_windows`.
MAX_TOKENS = 400
MAX_QUESTION_TOKENS = 64
MAX_HEADING_TOKENS = 32
# Few different lengths make few shapes.
LENGTHS = 32


@dataclass(frozen=True, slots=True)
class Tokens:
    """A passage as ids; `statements` names the statement of each, -1 for none."""

    corpus: str
    heading: tuple[int, ...]
    ids: tuple[int, ...]
    statements: tuple[int, ...]
    count: int
    aside: bool

    def places(self, only: range | None) -> range:
        """The places of its tokens: of all, or from the first to the last of some statements."""
        if only is None:
            return range(len(self.ids))
        inside = [place for place, number in enumerate(self.statements) if number in only]
        return range(inside[0], inside[-1] + 1) if inside else range(0)


@dataclass(frozen=True, slots=True)
class Row:
    """`[CLS] question [SEP] heading passage [SEP]`; the first `asked` tokens are the question's."""

    ids: list[int]
    statements: list[int]
    asked: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of about the same length, and how many statements the longest has."""

    ids: Tensor
    types: Tensor
    mask: Tensor
    statements: Tensor
    count: int

    def to(self, device: str) -> "Batch":
        """The batch there."""
        ids, types, mask, statements = (
            one.to(device, non_blocking=True)
            for one in (self.ids, self.types, self.mask, self.statements)
        )
        return Batch(ids, types, mask, statements, self.count)


class PairTokenizer:
    """Reads texts with the tokenizer of a model."""

    def __init__(self, model: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        marks = self._tokenizer.get_vocab()
        self._first, self._separator = marks["[CLS]"], marks["[SEP]"]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of texts, without marks."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [one.ids for one in found]

    def passages(self, lines: Sequence[Line]) -> list[Tokens]:
        """Passages as ids, each token with its statement."""
        texts = [line["text"] for line in lines]
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        headings = self.ids([line["heading"] for line in lines])
        return [
            Tokens(
                line["corpus"],
                tuple(heading[-MAX_HEADING_TOKENS:]),
                tuple(encoding.ids),
                _statement_of_each(encoding.offsets, line["spans"]),
                len(line["spans"]),
                line["aside"],
            )
            for line, encoding, heading in zip(lines, encodings, headings, strict=True)
        ]

    def row(
        self,
        question: Sequence[int],
        passage: Tokens,
        only: range | None = None,
        *,
        heading: bool = True,
    ) -> Row:
        """A question with a passage, or with some neighbouring statements of it."""
        asked = [self._first, *question[:MAX_QUESTION_TOKENS], self._separator]
        title = passage.heading if heading else ()
        before = [*asked, *title]
        places = passage.places(only)[: MAX_TOKENS - len(before) - 1]
        text = slice(places.start, places.stop)
        return Row(
            [*before, *passage.ids[text], self._separator],
            [*[-1] * len(before), *passage.statements[text], -1],
            len(asked),
        )

    def alone(self, ids: Sequence[int], most: int = 256) -> Row:
        """A text by itself, as it is embedded."""
        kept = [self._first, *ids[: most - 2], self._separator]
        return Row(kept, [-1] * len(kept), len(kept))


def batch_of(rows: Sequence[Row]) -> Batch:
    """Rows, filled up to the length of the longest."""
    length = -(-max(len(row.ids) for row in rows) // LENGTHS) * LENGTHS
    ids, types, statements = (np.full((len(rows), length), fill, np.int64) for fill in (0, 0, -1))
    for number, row in enumerate(rows):
        end = len(row.ids)
        ids[number, :end] = row.ids
        types[number, row.asked : end] = 1
        statements[number, :end] = row.statements
    ends = np.array([len(row.ids) for row in rows])
    mask = torch.from_numpy(np.arange(length) < ends[:, None])
    count = max(1, int(statements.max()) + 1)
    return Batch(
        torch.from_numpy(ids), torch.from_numpy(types), mask, torch.from_numpy(statements), count
    )


def in_batches(rows: Sequence[Row], size: int) -> Iterator[tuple[list[int], Batch]]:
    """Rows of about the same length together, each batch with the numbers of its rows."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number].ids))
    for start in range(0, len(order), size):
        numbers = order[start : start + size]
        yield numbers, batch_of([rows[number] for number in numbers])


def _statement_of_each(
    offsets: Sequence[tuple[int, int]], spans: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The statement that each token stands in, -1 for none."""
    found, number = [], 0
    for start, end in offsets:
        while number < len(spans) and spans[number][1] <= start:
            number += 1
        inside = number < len(spans) and spans[number][0] <= start and end > start
        found.append(number if inside else -1)
    return tuple(found)
