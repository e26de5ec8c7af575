"""Which book is meant when nobody names one: the own book, or the sample while there is none."""

from sourcebook.core.collections import Collection
from sourcebook.core.errors import NotFound
from sourcebook.core.filters import OneOf
from sourcebook.core.ports import Ledger

SAMPLE_BOOK_ID = "sample-book"


class DefaultBook:
    """Chooses between the own book and the sample, which counts only while the own one is empty.

    The choice is kept for as long as nothing in the collection of the books changes.
    """

    def __init__(
        self, ledger: Ledger, collection_name: str, own_id: str, sample_id: str | None = None
    ) -> None:
        self._ledger = ledger
        self._name = collection_name
        self._own_id = own_id
        self._sample_id = sample_id
        self._chosen: tuple[tuple[str, int], str] | None = None

    async def book_id(self) -> str:
        """Return the id of the book that is meant."""
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
