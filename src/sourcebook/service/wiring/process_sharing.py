"""Checks whether several processes can share one ledger and index."""

import logging

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.provider_choices import chosen_card, is_shared, store_choice

log = logging.getLogger(__name__)

NEEDS_SERVERS = (
    "needs a ledger and an index that several processes can use: set SOURCEBOOK_LEDGER_URL to a"
    " Postgres database, and QDRANT_URL (or SOURCEBOOK_VECTOR_STORE) to a store that is a server"
)


def can_share(settings: Settings, registry: Registry) -> bool:
    """Return whether ledger and index are both servers that other processes may use too."""
    if settings.ledger_url is None:
        return False
    return is_shared(chosen_card(registry, store_choice(settings)))


def check_worker(*, shared: bool) -> None:
    """Refuse a worker that shares no ledger and index with a service."""
    if not shared:
        raise ConfigurationError(f"`sourcebook worker` {NEEDS_SERVERS}")


def check_server(settings: Settings, *, shared: bool) -> None:
    """Refuse a server whose processes would each keep what they must share; warn if they might."""
    if not settings.work and not shared:
        raise ConfigurationError(
            f"Serving without working (--no-work, SOURCEBOOK_WORK=false) {NEEDS_SERVERS}."
            " With neither, leave SOURCEBOOK_WORK at true: nobody else could do the work"
        )
    own = _kept_in_each_folder(settings) if shared else []
    if own and not settings.work:
        raise ConfigurationError(
            "Serving without working is for several processes, and each would have its own"
            f" {' and '.join(own)}"
        )
    if shared and settings.redis_url is None:
        own.append("rate limits (set SOURCEBOOK_REDIS_URL)")
    if own:
        log.warning("not_shared_with_other_processes", extra={"own": own})


def _kept_in_each_folder(settings: Settings) -> list[str]:
    own = []
    if settings.admin_api_key is None:
        own.append("admin key (set ADMIN_API_KEY)")
    if settings.database_url is None:
        own.append("conversations (set DATABASE_URL)")
    return own
