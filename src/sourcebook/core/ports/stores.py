"""The roles of stores: vector store, adopted collection and conversation store."""

from collections.abc import (
    AsyncIterator,
    Mapping,
    Sequence,
    Set,
)
from typing import Protocol

from sourcebook.core.conversations import Exchange
from sourcebook.core.documents import (
    Hit,
)
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.health import Checkable
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
    Vector,
)


class VectorStore(Checkable, Protocol):
    """Keeps indexes of points. It is an index, never the truth: it can be rebuilt.

    Its abilities are declared; a class that inherits has none of them. With `finds_terms` it also
    finds points by their terms, weighed by how rare these are. With `reads_ledger` it finds what
    the ledger has, so that nothing is written to it. With `counts_terms` it says of many terms at
    once in how many chunks they stand.

    Raises RetrievalUnavailable when it cannot do its work, or knows no such index.
    """

    finds_terms: bool = False
    reads_ledger: bool = False
    counts_terms: bool = False

    async def create(self, spec: IndexSpec) -> None:
        """Create an empty index; creating one that exists with the same spec does nothing."""
        ...

    async def drop(self, index_id: str) -> None:
        """Remove an index; removing one that does not exist does nothing."""
        ...

    async def indexes(self) -> set[str]:
        """The ids of all indexes."""
        ...

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points, all or none; a point with a known id is replaced. Durable on return."""
        ...

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored. Durable on return."""
        ...

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        """The nearest points that pass the filter, best first."""
        ...

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        """The nearest points and those with the terms of the query that pass the filter."""
        raise RetrievalUnavailable("This vector store finds no points by their terms")

    async def count_terms(
        self, index_id: str, wanted: Set[int], filter_: Filter, revision: int
    ) -> Mapping[int, int]:
        """In how many chunks that lived at a revision and pass the filter each term stands.

        Terms that stand in none are left out.
        """
        raise RetrievalUnavailable("This vector store counts no terms")

    async def count(self, index_id: str) -> int:
        """How many points the index holds, exactly."""
        ...

    def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        """Walk over all points, in batches, in no particular order."""
        ...


class AdoptedCollection(Checkable, Protocol):
    """A collection that another tool filled and keeps: read as it is, never written.

    A hit's chunk has the text and the metadata that the other tool stored, under its own names
    and also under ours where they differ. Raises RetrievalUnavailable.
    """

    @property
    def name(self) -> str:
        """The name that readers ask for."""
        ...

    @property
    def model(self) -> str | None:
        """The alias of the model that its vectors come from; None: the first that fits."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """The nearest chunks that pass the filter, best first."""
        ...

    async def count(self) -> int:
        """How many points it holds."""
        ...


class ConversationStore(Checkable, Protocol):
    """What was asked and answered. Raises HistoryUnavailable, quickly, while it is away.

    What is older than the retention does not exist, even if it is still on disk.
    """

    async def add(self, exchange: Exchange) -> None:
        """Keep an exchange, durably."""
        ...

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        """The newest exchanges of a session, oldest first."""
        ...

    async def forget(self, session_id: str) -> int:
        """Remove a session; how many exchanges it had."""
        ...

    async def purge(self) -> int:
        """Delete what is older than the retention, in batches; how many."""
        ...
