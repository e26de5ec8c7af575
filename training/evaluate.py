"""Measures a reader as the product reads: what it finds in a book for each question."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from bench.classification import area

from sourcebook.core.documents import Span
from sourcebook.core.ports import Embedder, Reader
from sourcebook.core.readings import Calibration, ReadablePassage, Reading, Signals
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import open_openvino_embedder
from sourcebook.providers.readers.local_provider import ReaderSettings
from sourcebook.providers.readers.openvino import open_openvino_reader
from training.books import Book, BookQuestion, clapnq_book, development_books, labelled_book
from training.statements import spans_of

HITS = 5
# So many statements of a passage come next after its best.
NEXT = 3
CONCURRENT = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """A question, what speaks for an answer, and whether the best statement is a right one."""

    asked: BookQuestion
    signals: Signals
    right: bool


async def evaluate(data: Path, adapter: str, clapnq: Path | None) -> None:
    """Print what the reader makes of each book, at the probability of one half."""
    books = [labelled_book(), *([clapnq_book(clapnq)] if clapnq else []), *development_books(data)]
    async with opened(adapter) as (reader, embedder):
        for book in books:
            measured = await measure(book, reader, embedder)
            print("\n".join(report(book.name, measured, reader.calibration)), flush=True)


@asynccontextmanager
async def opened(adapter: str) -> AsyncIterator[tuple[Reader, Embedder]]:
    """The reader and the bundled embedder, as the product opens them."""
    bundled = LocalEmbedderSettings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})
    with TemporaryDirectory() as name:
        opening = Opening("minilm", data_dir=Path(name), models_dir=Path(name))
        async with (
            open_openvino_reader(ReaderSettings(path=adapter), opening) as reader,
            open_openvino_embedder(bundled, opening) as embedder,
        ):
            yield reader, embedder


async def measure(book: Book, reader: Reader, embedder: Embedder) -> list[Measured]:
    """Find the nearest passages of each question, and have them read."""
    embedded = await embedder.embed_documents(
        [f"{one.heading} {one.text}" for one in book.passages]
    )
    vectors = np.array([one[0] for one in embedded])
    readable = [
        ReadablePassage(one.heading, one.text, tuple(Span(*span) for span in spans_of(one.text)))
        for one in book.passages
    ]
    turns = asyncio.Semaphore(CONCURRENT)

    async def one_question(asked: BookQuestion) -> Measured:
        async with turns:
            similar = vectors @ np.array(await embedder.embed_query(asked.text))
            best = [int(number) for number in np.argsort(-similar)[:HITS]]
            readings = await reader.read(asked.text, [readable[number] for number in best])
            signals = signals_of(readings, float(similar[best[0]]))
            found = zip(best, readings, strict=True)
            return Measured(asked, signals, _is_right(asked, readable, dict(found)))

    return list(await asyncio.gather(*map(one_question, book.questions)))


def signals_of(readings: Sequence[Reading], similarity: float) -> Signals:
    """What speaks for an answer; words in common do not, because near misses have them too."""
    relevance = max(one.relevance for one in readings)
    scores = [sorted((s for s in one.answers if s is not None), reverse=True) for one in readings]
    best, *after = max(scores, key=lambda one: one[:1]) or [relevance]
    following = after[:NEXT]
    lead = best - sum(following) / len(following) if following else 0.0
    return Signals(relevance, best, similarity, 0.0, lead)


def _is_right(
    asked: BookQuestion, readable: Sequence[ReadablePassage], readings: dict[int, Reading]
) -> bool:
    """Whether the statement with the best score holds a place that answers."""
    scored = [
        (score, number, part)
        for number, reading in readings.items()
        for score, part in zip(reading.answers, readable[number].parts, strict=True)
        if score is not None
    ]
    if not scored:
        return False
    _, best, part = max(scored, key=lambda one: one[0])
    return any(number == best and part.start <= at < part.end for number, at in asked.places)


def probabilities(measured: Sequence[Measured], calibration: Calibration) -> list[float]:
    """How likely each question is answered."""
    return [calibration.probability(one.signals) for one in measured]


def report(name: str, measured: Sequence[Measured], calibration: Calibration) -> Iterator[str]:
    """How much of each kind is answered or refused as it should be, and how well it is told."""
    chances: dict[str, list[float]] = {}
    for one, chance in zip(measured, probabilities(measured, calibration), strict=True):
        chances.setdefault(one.asked.kind, []).append(chance)
    answered = chances["answered"]
    held = np.mean([one >= 0.5 for one in answered])
    yield f"{name}: answered ({len(answered)}) {held:.3f}"
    for kind, some in sorted(chances.items()):
        if kind != "answered":
            refused = np.mean([one < 0.5 for one in some])
            told = area(answered, some)
            yield f"{name}: {kind} ({len(some)}) refused {refused:.3f}, AUC {told:.3f}"
    placed = [one.right for one in measured if one.asked.places]
    if placed:
        yield f"{name}: right statement {sum(placed)} of {len(placed)}"
