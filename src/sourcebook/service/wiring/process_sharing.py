"""Checks whether several processes can share one ledger and index."""

import logging

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.provider_choices import (
    EMBEDDED_STORE,
    chosen_card,
    is_shared,
    store_choice,
)

log = logging.getLogger(__name__)

NEEDS_SHARING = (
    "needs an index that several processes can use, and Chroma in a folder belongs to one: unset"
    " SOURCEBOOK_VECTOR_STORE for the embedded index, or set QDRANT_URL or the URL of a server"
)


def can_share(settings: Settings, registry: Registry) -> bool:
    """Return whether other processes may use the index: it is on a server, or read from the ledger.

    Any ledger can be shared: a Postgres database, or the SQLite file of a folder.
    """
    card = chosen_card(registry, store_choice(settings))
    return card.id == EMBEDDED_STORE or is_shared(card)


def check_worker(*, shared: bool) -> None:
    """Refuse a worker that shares no index with a service."""
    if not shared:
        raise ConfigurationError(f"`sourcebook worker` {NEEDS_SHARING}")


def check_server(settings: Settings, *, shared: bool) -> None:
    """Refuse a server whose processes would each keep what they must share; warn if they might."""
    if not shared and (settings.workers > 1 or not settings.work):
        asked = "with several workers" if settings.workers > 1 else "without working (--no-work)"
        raise ConfigurationError(f"Serving {asked} {NEEDS_SHARING}")
    if settings.ledger_url is None:
        return
    own = _kept_in_each_folder(settings)
    if own and not settings.work:
        raise ConfigurationError(
            "Serving without working is for several processes, and each would have its own"
            f" {' and '.join(own)}"
        )
    if shared and settings.redis_url is None:
        own.append("rate limits (set SOURCEBOOK_REDIS_URL)")
    if shared and own:
        log.warning("not_shared_with_other_processes", extra={"own": own})


def _kept_in_each_folder(settings: Settings) -> list[str]:
    own = []
    if settings.admin_api_key is None:
        own.append("admin key (set ADMIN_API_KEY)")
    if settings.database_url is None:
        own.append("conversations (set DATABASE_URL)")
    return own
