"""A collection that another tool filled, in memory."""

from collections.abc import Mapping

from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import Vector
from tests.fakes import FakeEmbedder


class FakeAdopted:
    """Holds chunks that an embedder embedded. `away` while its store cannot be reached.

    A `careless` one gives out what does not pass the filter too.
    """

    def __init__(
        self,
        embedder: FakeEmbedder,
        name: str = "rag_embedding",
        *,
        model: str | None = None,
        dimensions: int | None = None,
    ) -> None:
        self.name = name
        self.model = model
        self.dimensions = dimensions or embedder.dimensions
        self.away = False
        self.careless = False
        self.asked: list[int] = []
        self._embedder = embedder
        self._held: list[tuple[Chunk, Vector]] = []

    async def put(self, texts: Mapping[str, tuple[str, Metadata]]) -> None:
        """Hold these texts with their metadata, by id."""
        embedded = await self._embedder.embed_documents([text for text, _ in texts.values()])
        for (id_, (text, about)), vectors in zip(texts.items(), embedded, strict=True):
            self._held.append((Chunk(id_, id_, 0, text, about), vectors[0]))

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """By cosine."""
        self._check_here()
        self.asked.append(limit)
        hits = [Hit(chunk, _dot(held, vector)) for chunk, held in self._held]
        if not self.careless:
            hits = [hit for hit in hits if filter_.matches(hit.chunk.metadata)]
        return sorted(hits, key=lambda hit: -hit.cosine)[:limit]

    async def count(self) -> int:
        """How many chunks."""
        self._check_here()
        return len(self._held)

    async def check(self) -> ServiceHealth:
        """Whether it is away."""
        return ServiceHealth("down" if self.away else "up")

    def _check_here(self) -> None:
        if self.away:
            raise RetrievalUnavailable("The other store is away")


def _dot(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
