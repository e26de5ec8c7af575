"""The settings of a command, with logging set up as they say."""

from pathlib import Path

from sourcebook.service.logging import set_up_logging
from sourcebook.service.settings import Settings, load_settings


def settings_from(
    config: Path | None, *, log_level: str | None = None, **flags: object
) -> Settings:
    """Read the settings; `log_level` is for commands that want another one than the service."""
    settings = load_settings(config, **flags)
    set_up_logging(log_level or settings.log_level, settings.log_format)
    return settings
