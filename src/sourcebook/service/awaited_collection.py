"""An adopted collection that could not be read at the start: it says why until it can."""

from sourcebook.core.documents import Hit
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import AdoptedCollection
from sourcebook.core.vectors import Vector


class AwaitedCollection:
    """Stands in for an adopted collection whose store is away, and for the collection from then on.

    Until it has arrived even its dimensions are unknown: all but its name is RetrievalUnavailable.
    """

    def __init__(self, name: str, model: str | None, reason: str) -> None:
        self._name = name
        self._model = model
        self._reason = reason
        self._collection: AdoptedCollection | None = None
        self._absent = False

    def arrive(self, collection: AdoptedCollection) -> None:
        """The store is back, and this is the collection."""
        self._collection = collection

    def wait(self, reason: str) -> None:
        """It still cannot be read, for this reason."""
        self._reason = reason

    def give_up(self, reason: str) -> None:
        """The store is back, and there is nothing to adopt: that is nobody's fault."""
        self._reason = reason
        self._absent = True

    @property
    def name(self) -> str:
        """The name that readers ask for."""
        return self._name

    @property
    def model(self) -> str | None:
        """The alias of the model that its vectors come from; None: the first that fits."""
        return self._model

    @property
    def dimensions(self) -> int:
        """The length of its vectors, once that is known."""
        return self._arrived().dimensions

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """The nearest chunks that pass the filter, best first."""
        return await self._arrived().nearest(vector, limit, filter_)

    async def count(self) -> int:
        """How many points it holds."""
        return await self._arrived().count()

    async def check(self) -> ServiceHealth:
        """How the collection is doing; down, and why, until it is there."""
        if self._collection is not None:
            return await self._collection.check()
        return ServiceHealth("up" if self._absent else "down", message=self._told())

    def _arrived(self) -> AdoptedCollection:
        if self._collection is None:
            raise RetrievalUnavailable(self._told())
        return self._collection

    def _told(self) -> str:
        return f"The adopted collection {self._name!r} cannot be read yet: {self._reason}"
