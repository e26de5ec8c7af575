"""The admin key: the configured one, or one that is generated at the first start and kept."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.api_keys import MIN_KEY_LENGTH
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class AdminKey:
    """The key, and the file that was just created for it, if any."""

    value: str
    made_in: Path | None = None

    def __repr__(self) -> str:
        return "AdminKey(…)"


def keep_admin_key(settings: Settings, folder: DataFolder) -> AdminKey:
    """Return the key, generated if there is none; of processes that start at once, one does."""
    known = find_admin_key(settings, folder)
    if known is not None:
        return AdminKey(known)
    key = secrets.token_urlsafe(KEY_BYTES)
    try:
        _write(folder.admin_key, key)
    except FileExistsError:
        return keep_admin_key(settings, folder)
    except OSError as error:
        raise ConfigurationError(
            f"The admin key cannot be kept in {str(folder.admin_key)!r}: {error.strerror}."
            " Set ADMIN_API_KEY, or choose another folder with --data-dir"
        ) from None
    return AdminKey(key, folder.admin_key)


def find_admin_key(settings: Settings, folder: DataFolder) -> str | None:
    """Return the configured key, else the one in the folder, if any."""
    if settings.admin_api_key is not None:
        return settings.admin_api_key.get_secret_value()
    try:
        key = folder.admin_key.read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        key = ""
    if len(key) < MIN_KEY_LENGTH:
        raise ConfigurationError(
            f"The admin key in {str(folder.admin_key)!r} cannot be used. Delete the file: the"
            " service makes a new one when it starts. Or set ADMIN_API_KEY"
        )
    return key


def _write(path: Path, key: str) -> None:
    # Whole or not at all, and never readable by others: made beside, with its mode, then named.
    draft = path.with_suffix(f".{secrets.token_hex(4)}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{key}\n")
        file.flush()
        os.fsync(descriptor)
    try:
        path.hardlink_to(draft)
    finally:
        draft.unlink()
