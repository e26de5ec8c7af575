"""What is embedded and asked: chunks of 100 to 500 tokens, and questions that are never repeated.

With SOURCEBOOK_BENCH_DATA the text comes from `.jsonl`, `.md` and `.txt` files under that folder;
otherwise it is made of shuffled sentences of the sample book. Both are the same in every run.
"""

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from tokenizers import Tokenizer

from bench.bundled_model import bundled_model

DATA_VARIABLE = "SOURCEBOOK_BENCH_DATA"
MIN_TOKENS, MAX_TOKENS = 100, 500
QUESTION_WORDS = (6, 16)
# What the bundled model reads at once, without its two special tokens.
WINDOW_TOKENS = 254
MAX_CHARACTERS = 12_000_000
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


@dataclass(frozen=True, slots=True)
class Texts:
    """Chunks as they are posted, and questions to ask about them."""

    origin: str
    chunks: list[str]
    questions: list[str]


def read_texts(chunks: int, questions: int, seed: int = 1) -> Texts:
    """So many chunks and questions."""
    folder = os.environ.get(DATA_VARIABLE)
    choose = random.Random(seed)  # noqa: S311 - not for secrets
    sentences = _sentences(Path(folder)) if folder else book_sentences()
    tokenizer = _tokenizer()
    lengths = [len(found.ids) for found in tokenizer.encode_batch_fast(sentences)]
    if not folder:
        order = [choose.randrange(len(sentences)) for _ in range(60 * chunks)]
        sentences = [sentences[number] for number in order]
        lengths = [lengths[number] for number in order]
    made = _packed(sentences, lengths, choose)
    return Texts(
        origin=f"files of {DATA_VARIABLE}" if folder else "sentences of the sample book, shuffled",
        chunks=[text for text, _ in zip(made, range(chunks), strict=False)],
        questions=[_question(sentences, choose, number) for number in range(questions)],
    )


def pieces(chunks: list[str]) -> list[str]:
    """The chunks cut where our embedder cuts them, so that no model has to leave words out."""
    found = []
    for text, encoding in zip(chunks, _tokenizer().encode_batch(chunks), strict=True):
        starts = [start for start, _ in encoding.offsets[::WINDOW_TOKENS]]
        found += [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return found


def _packed(sentences: list[str], lengths: list[int], choose: random.Random) -> Iterator[str]:
    chunk: list[str] = []
    size, wanted = 0, choose.randint(MIN_TOKENS, MAX_TOKENS)
    for sentence, length in zip(sentences, lengths, strict=True):
        if chunk and size + length > wanted:
            if size >= MIN_TOKENS:
                yield " ".join(chunk)
            chunk, size, wanted = [], 0, choose.randint(MIN_TOKENS, MAX_TOKENS)
        chunk.append(sentence)
        size += length


def _question(sentences: list[str], choose: random.Random, number: int) -> str:
    words = choose.choice(sentences).split()[: choose.randint(*QUESTION_WORDS)]
    return f"{' '.join(words)} {number}?"


def book_sentences() -> list[str]:
    """The sentences of the sample book."""
    root = Path(str(files("sourcebook.samples") / "book"))
    pages = sorted(root.rglob("*.md"))
    return _cut_sentences(page.read_text("utf-8").split("\n---\n", 1)[1] for page in pages)


def _sentences(folder: Path) -> list[str]:
    return _cut_sentences(_files(folder))


def _cut_sentences(texts: Iterator[str]) -> list[str]:
    sentences, characters = [], 0
    for text in texts:
        found = [sentence.strip() for sentence in _SENTENCE.findall(text)]
        sentences += [sentence for sentence in found if 20 <= len(sentence) <= 400]
        characters += len(text)
        if characters > MAX_CHARACTERS:
            break
    return sentences


def _files(folder: Path) -> Iterator[str]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".jsonl", ".md", ".txt"}):
        for line in path.read_text("utf-8", errors="replace").splitlines():
            yield str(json.loads(line).get("text", "")) if path.suffix == ".jsonl" else line


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(bundled_model().folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.post_processor = None
    return tokenizer
