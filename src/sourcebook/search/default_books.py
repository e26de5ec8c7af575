"""Which books are meant when nobody names one: all that the asker may read."""

from collections.abc import Collection

from sourcebook.core.errors import NotFound
from sourcebook.core.ports import Ledger

SAMPLE_BOOK_ID = "sample-book"


class DefaultBooks:
    """Chooses the books for a question that names none.

    If the own book stands `alone` (BOOK_ID names it), it is the only one; it also is for visitors
    of a service whose books are not `listed`, who cannot name what they do not know of. The sample
    counts only while there is no other book. What there is is remembered until the collection
    changes.
    """

    def __init__(
        self,
        ledger: Ledger,
        collection_name: str,
        own_id: str,
        sample_id: str | None = None,
        *,
        alone: bool = False,
        listed: bool = True,
    ) -> None:
        self._ledger = ledger
        self._name = collection_name
        self._own_id = own_id
        self._sample_id = sample_id
        self._alone = alone
        self._listed = listed
        self._known: tuple[tuple[str, int], frozenset[str]] | None = None

    async def ids(self) -> tuple[str, ...]:
        """Return the books that a visitor means: at least one, which may be empty."""
        found = await self._books()
        return found if self._listed or found == (self._sample_id,) else (self._own_id,)

    async def only_id(self) -> str | None:
        """Return the book that a visitor means, if it is one: its pages need no name."""
        meant = await self.ids()
        return meant[0] if len(meant) == 1 else None

    async def ids_for(self, readable: Collection[str] | None) -> tuple[str, ...]:
        """Return the books that the holder of a key means, who may read these; None for all."""
        found = await self._books()
        if readable is None:
            return found
        return tuple(id_ for id_ in found if id_ in readable) or tuple(readable)

    async def _books(self) -> tuple[str, ...]:
        """The own book first, then the others by name."""
        if self._alone and self._sample_id is None:
            return (self._own_id,)
        names = await self._names()
        own = {self._own_id} & names
        others = set() if self._alone else names - {self._own_id, SAMPLE_BOOK_ID}
        if own or others:
            return (*own, *sorted(others))
        sample = self._sample_id
        return (sample if sample is not None and sample in names else self._own_id,)

    async def _names(self) -> frozenset[str]:
        """The books of which anything is indexed."""
        try:
            collection = await self._ledger.collections.get(self._name)
        except NotFound:
            return frozenset()
        state = (collection.id, collection.revision)
        if self._known is None or self._known[0] != state:
            found = await self._ledger.documents.field_values(collection.id, "book_id")
            self._known = (state, frozenset(found))
        return self._known[1]
