"""Which books are meant when nobody names one: all that the asker may read."""

from sourcebook.core.collections import Collection
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import Ledger

SAMPLE_BOOK_ID = "sample-book"


class DefaultBooks:
    """Chooses the books for a question that names none.

    If the own book stands `alone` (BOOK_ID names it), it is the only one; it also is for visitors
    of a service whose books are not `listed`, who cannot name what they do not know of. The sample
    counts only while there is no other book, and its choice is remembered until the collection
    changes. Books are known by the layouts that are kept: one small query, however many documents.
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
        self._chosen: tuple[tuple[str, int], str] | None = None

    async def ids(self) -> tuple[str, ...]:
        """Return the books that a visitor means: at least one, which may be empty."""
        found = await self._books()
        return found if self._listed or found == (self._sample_id,) else (self._own_id,)

    async def only_id(self) -> str | None:
        """Return the book that a visitor means, if it is one: its pages need no name."""
        meant = await self.ids()
        return meant[0] if len(meant) == 1 else None

    async def ids_for(self, readable: tuple[str, ...] | None) -> tuple[str, ...]:
        """Return the books that the holder of a key means, who may read these; None for all."""
        found = await self._books()
        if readable is None:
            return found
        return tuple(id_ for id_ in found if id_ in readable) or readable

    async def _books(self) -> tuple[str, ...]:
        """The own book first, then the others by name."""
        if self._alone:
            return (await self._own_or_sample(),)
        kept = {layout.book_id for layout in await self._ledger.books.all(self._name)}
        others = kept - {self._own_id, SAMPLE_BOOK_ID}
        if not others:
            return (await self._own_or_sample(),)
        return (*({self._own_id} & kept), *sorted(others))

    async def _own_or_sample(self) -> str:
        if self._sample_id is None:
            return self._own_id
        try:
            collection = await self._ledger.collections.get(self._name)
        except NotFound:
            return self._own_id
        state = (collection.id, collection.revision)
        if self._chosen is None or self._chosen[0] != state:
            self._chosen = (state, await self._choose(collection, self._sample_id))
        return self._chosen[1]

    async def _choose(self, collection: Collection, sample_id: str) -> str:
        if await self._has_documents(collection, self._own_id):
            return self._own_id
        return sample_id if await self._has_documents(collection, sample_id) else self._own_id

    async def _has_documents(self, collection: Collection, book_id: str) -> bool:
        of_book = OneOf("book_id", (book_id,))
        return bool(await self._ledger.documents.headers(collection.id, of_book, limit=1))
