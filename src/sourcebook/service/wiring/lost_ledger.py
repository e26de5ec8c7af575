"""Finds out whose ledger was lost: whose collections are on the server."""

from sourcebook.core.errors import ConfigurationError, Conflict, NotFound
from sourcebook.core.ports import ReadableStore
from sourcebook.service.wiring.storage import NAMESPACE_DIGITS, NAMESPACE_PREFIX, Storage


async def store_of_lost_ledger(
    storage: Storage, installation: str | None
) -> tuple[str, ReadableStore]:
    """Return the installation whose ledger is to be restored, and the store as it saw it.

    ConfigurationError if this store cannot restore a ledger; Conflict if several installations
    could be meant; NotFound if none can.
    """
    store = storage.store
    if not isinstance(store, ReadableStore):
        raise ConfigurationError(
            f"The vector store {storage.provider!r} keeps no texts, so no ledger can be restored"
            " from it: restore a backup of the ledger. A Qdrant server (QDRANT_URL) keeps them"
        )
    found = {name.removeprefix(NAMESPACE_PREFIX) for name in await store.namespaces()}
    if not found:
        raise NotFound("The vector store has no collections of any installation of Sourcebook")
    listed = ", ".join(sorted(found))
    if installation is None and len(found) > 1:
        raise Conflict(
            f"Several installations share the vector store: {listed}. Name the one whose ledger"
            " was lost with --installation"
        )
    chosen = min(found) if installation is None else installation[:NAMESPACE_DIGITS]
    if chosen not in found:
        raise NotFound(
            f"The vector store has no collections of installation {chosen!r}, only of: {listed}"
        )
    return chosen, store.in_namespace(NAMESPACE_PREFIX + chosen)
