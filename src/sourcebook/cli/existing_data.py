"""Refuses a data folder without data, before a command that only reads one creates it."""

from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings


def require_data(settings: "Settings") -> None:
    """Raise ConfigurationError if nothing was ever kept in the data folder, nor on a server."""
    from sourcebook.service.config.data_folder import DataFolder, is_used

    on_servers = (settings.ledger_url, settings.qdrant_url, settings.adopted_config)
    folder = DataFolder(settings.data_dir)
    # A process that is about to create the ledger has locked the folder already.
    if any(on_servers) or folder.ledger.exists() or is_used(folder):
        return
    raise ConfigurationError(
        f"There is no Sourcebook data in {str(settings.data_dir)!r}: check --data-dir"
        " (SOURCEBOOK_DATA_DIR), or index a book there first with `sourcebook ingest DOCS`"
    )
