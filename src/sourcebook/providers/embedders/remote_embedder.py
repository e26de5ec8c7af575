"""The embedder that every embedding service is wrapped in, whatever its wire format."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import chain

from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import EmbeddingFailed
from sourcebook.core.health import ServiceHealth
from sourcebook.core.refusals import PoisonText
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.embedders.approximate_tokens import ESTIMATE_VERSION, token_spans
from sourcebook.providers.embedders.bulk import BatchLimits, Bulk
from sourcebook.providers.embedders.description import ModelDescription
from sourcebook.providers.embedders.gathering import Gatherer
from sourcebook.providers.embedders.remote_calls import HARMLESS, RemoteCalls, Result, Wire
from sourcebook.providers.embedders.wire_errors import Service
from sourcebook.providers.inference.batching import regrouped
from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.inference.text_pieces import Piece, cut_text
from sourcebook.providers.inference.translating import foreign_errors_as
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.inference.windows import WINDOWING_VERSION, average, join
from sourcebook.providers.outbound.json_server import CallFailed, Refused

# What services put around every text.
SPECIAL_TOKENS = 2
PROBE_WITHIN_S = 2.0
SHORT_CHARACTERS = 5_000
MOST_NAMED = 5
# What a server may well not have: it can embed all the same.
_NO_SUCH_ROUTE = frozenset({404, 405, 501})


@dataclass(frozen=True, slots=True)
class Pace:
    """How documents are sent, and how long a question may take, all its waiting included."""

    batches: BatchLimits
    query_timeout_s: float


class RemoteEmbedder:
    """Cuts texts by an estimate of their tokens, and gives unit vectors, as local models do."""

    def __init__(self, description: ModelDescription, calls: RemoteCalls, pace: Pace) -> None:
        self.id = description.id
        self.name = description.name
        self.dimensions = description.dimensions
        self.max_tokens = description.max_tokens
        self.revision = description.revision
        self._calls = calls
        self._pace = pace
        self._bulk = Bulk(calls, pace.batches)
        # Apart from the documents: a question must not wait behind them.
        self._questions = Gatherer(calls, pace.batches.texts, pace.query_timeout_s)
        self._closed = False

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed a batch, in order. What was embedded before a failure is not asked for again."""
        if not texts:
            return []
        with self._foreign_errors():
            per_text = await asyncio.to_thread(self._all_pieces, texts)
            results = await self._bulk.embed(list(chain.from_iterable(per_text)), "document")
            return await asyncio.to_thread(_joined, texts, per_text, results)

    async def embed_query(self, text: str) -> Vector:
        """Embed one question as one vector, however long it is."""
        with self._foreign_errors():
            # In a thread, if cutting could hold up others.
            prompt = self._calls.prompts.query
            short = len(text) <= SHORT_CHARACTERS
            pieces = (
                self._pieces(text, prompt)
                if short
                else await asyncio.to_thread(self._pieces, text, prompt)
            )
            # A question as long as a book waits with the books.
            long = len(pieces) > self._pace.batches.texts
            results = await (self._bulk.embed(pieces, "query") if long else self._ask(pieces))
            return average(_usable([text], [pieces], results), [one.weight for one in pieces])

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Where the tokens of each text stand, by our estimate."""
        return await asyncio.to_thread(lambda: [token_spans(text) for text in texts])

    async def check(self) -> ServiceHealth:
        """See whether the service is there, at no cost, and how the last call went."""
        if self._closed:
            return ServiceHealth("down", message="The model is closed")
        begun_s = time.perf_counter()
        down = await self._objection()
        last = self._calls.last_failure
        return ServiceHealth(
            "down" if down else "degraded" if last else "up",
            latency_ms=(time.perf_counter() - begun_s) * 1000,
            message=down or (last.message if last else None),
        )

    async def close(self) -> None:
        """End what is under way."""
        self._closed = True
        await self._questions.close()

    async def _ask(self, pieces: Sequence[Piece]) -> list[Result]:
        try:
            async with asyncio.timeout(self._pace.query_timeout_s):
                return await self._questions.embed([piece.text for piece in pieces])
        except TimeoutError:
            late = CallFailed(f"took longer than {self._pace.query_timeout_s:g} s: try again")
            self._calls.last_failure = self._calls.service.failure(late)
            raise self._calls.last_failure from None

    async def _objection(self) -> str | None:
        try:
            await self._calls.wire.look(PROBE_WITHIN_S)
        except CallFailed as error:
            if isinstance(error, Refused) and error.status in _NO_SUCH_ROUTE:
                return None
            return self._calls.service.failure(error).message
        return None

    def _all_pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        return [self._pieces(text, self._calls.prompts.document) for text in texts]

    def _pieces(self, text: str, prompt: str) -> list[Piece]:
        room = self.max_tokens - SPECIAL_TOKENS - len(token_spans(prompt))
        return cut_text(text, room, token_spans)

    def _foreign_errors(self) -> AbstractContextManager[None]:
        if self._closed:
            raise EmbeddingFailed(f"The model {self.id!r} is closed")
        return foreign_errors_as(EmbeddingFailed, f"Embedding with {self.id!r} failed")


@asynccontextmanager
async def open_remote_embedder(
    description: ModelDescription, service: Service, wire: Wire, prompts: Prompts, pace: Pace
) -> AsyncIterator[RemoteEmbedder]:
    """Hold an embedder for as long as the context lasts. Nothing is sent yet."""
    calls = RemoteCalls(service, wire, prompts, description.dimensions)
    embedder = RemoteEmbedder(description, calls, pace)
    try:
        yield embedder
    finally:
        await embedder.close()


async def ask_dimensions(service: Service, wire: Wire, within_s: float) -> int:
    """How long the model's vectors are, from one that it makes."""
    try:
        vectors = await wire.vectors([HARMLESS], "query", within_s)
    except CallFailed as error:
        raise service.failure(error) from None
    if len(vectors) != 1 or not len(vectors[0]):
        raise service.failure(CallFailed("gave no vector"))
    return len(vectors[0])


def revision_of(provider: str, parts: Mapping[str, object], prompts: Prompts) -> str:
    """Changes whenever the same text would get another vector, as far as we can know."""
    all_parts = {
        **parts,
        "provider": provider,
        "prompts": [prompts.query, prompts.document],
        "windowing": [WINDOWING_VERSION, ESTIMATE_VERSION],
    }
    digest = hashlib.sha256(json.dumps(all_parts, sort_keys=True).encode()).hexdigest()
    return f"{provider}-{digest[:16]}"


def _joined(
    texts: Sequence[str], per_text: Sequence[Sequence[Piece]], results: Sequence[Result]
) -> list[Embedding]:
    groups = regrouped(_usable(texts, per_text, results), [len(pieces) for pieces in per_text])
    return [
        join(group, [piece.weight for piece in pieces])
        for group, pieces in zip(groups, per_text, strict=True)
    ]


def _usable(
    texts: Sequence[str], per_text: Sequence[Sequence[Piece]], results: Sequence[Result]
) -> list[FloatArray]:
    """The vectors of all pieces; PoisonText if some were refused."""
    groups = regrouped(results, [len(pieces) for pieces in per_text])
    refused = {
        position: one.status
        for position, group in enumerate(groups)
        for one in group
        if isinstance(one, Refused)
    }
    if refused:
        raise _poison(texts, refused)
    return [one for one in results if not isinstance(one, Refused)]


def _poison(texts: Sequence[str], refused: Mapping[int, int]) -> PoisonText:
    # A text is named by its place and its length: what it says is its owner's business.
    named = [
        f"number {position} ({len(texts[position])} characters, status {status})"
        for position, status in list(refused.items())[:MOST_NAMED]
    ]
    more = ", …" if len(refused) > MOST_NAMED else ""
    return PoisonText(
        f"The embedding service refused {len(refused)} of {len(texts)} texts: {', '.join(named)}"
        f"{more}. Change them, or leave them out",
        list(refused),
    )
