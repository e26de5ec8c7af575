"""Where conversations are kept by the settings, and that what is too old is deleted daily."""

import logging
from contextlib import AbstractAsyncContextManager

from sourcebook.core.errors import HistoryUnavailable
from sourcebook.core.ports import Checkable, ConversationStore
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.settings import Settings

log = logging.getLogger(__name__)

PURGE_EVERY_S = 86_400.0
RETRY_AFTER_S = 60.0


def open_conversations(
    settings: Settings, folder: DataFolder
) -> AbstractAsyncContextManager[ConversationStore]:
    """Open the store without connecting: its database may be away now and come later.

    Without DATABASE_URL it is the ledger's SQLite file, or one of its own beside an index whose
    ledger is in Postgres.
    """
    # SQLAlchemy is not needed by every command.
    from sourcebook.providers.storage import conversations  # noqa: PLC0415

    days = settings.conversation_retention_days
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        return conversations.open_postgres_conversations(url, days)
    if settings.ledger_url is not None:
        return conversations.open_sqlite_conversations(folder.root / "conversations.db", days)
    return conversations.open_sqlite_conversations(folder.ledger, days)


def named_databases(ledger: Checkable, conversations: Checkable | None) -> dict[str, Checkable]:
    """The names under which databases report their health.

    `conversations` only if they have a database of their own: that is the one that spec 004 calls
    `database`.
    """
    if conversations is None:
        return {"database": ledger}
    return {"database": conversations, "ledger": ledger}


class Purger:
    """Deletes what is older than the retention."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    async def purge(self) -> float:
        """Purge once; in how many seconds to do it again."""
        try:
            deleted = await self._store.purge()
        except HistoryUnavailable as error:
            log.warning("purge_failed", extra={"reason": error.message})
            return RETRY_AFTER_S
        except Exception:
            # The edge of a background task: the next purge must come all the same.
            log.exception("purge_crashed")
            return RETRY_AFTER_S
        if deleted:
            log.info("conversations_purged", extra={"exchanges": deleted})
        return PURGE_EVERY_S
