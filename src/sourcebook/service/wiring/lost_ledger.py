"""Finds out whose ledger was lost: whose collections are on the server."""

from sourcebook.core.errors import ConfigurationError, Conflict, NotFound, RetrievalUnavailable
from sourcebook.core.ports import ReadableStore
from sourcebook.service.wiring.storage import NAMESPACE_DIGITS, NAMESPACE_PREFIX, Storage

MAX_SHOWN_NAMES = 5


async def store_of_lost_ledger(
    storage: Storage, installation: str | None
) -> tuple[str, ReadableStore]:
    """Return the installation whose ledger is to be restored, and the store as it saw it.

    Nobody takes over an installation without naming it: it may be alive. ConfigurationError if
    this store cannot restore a ledger; Conflict if no installation is named; NotFound if there is
    none of that name.
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
    listed = ", ".join([f"{id_} ({await _contents(store, id_)})" for id_ in sorted(found)])
    if installation is None:
        raise Conflict(
            f"The vector store has collections of: {listed}. Name the installation whose ledger was"
            " lost with --installation ID, and stop all its processes first: what another ledger"
            " still uses would be taken over"
        )
    chosen = installation[:NAMESPACE_DIGITS]
    if chosen not in found:
        raise NotFound(
            f"The vector store has no collections of installation {chosen!r}, only of: {listed}"
        )
    return chosen, store.in_namespace(NAMESPACE_PREFIX + chosen)


async def _contents(store: ReadableStore, installation: str) -> str:
    """Say which collections an installation has, to recognize it by."""
    try:
        described = await store.in_namespace(NAMESPACE_PREFIX + installation).described()
    except RetrievalUnavailable as error:
        return error.message
    names = [collection.name for collection in described]
    more = f" and {len(names) - MAX_SHOWN_NAMES} more" if len(names) > MAX_SHOWN_NAMES else ""
    return ", ".join(names[:MAX_SHOWN_NAMES]) + more if names else "without a catalog"
