"""The commands that back up and restore what is in Postgres."""

import shlex
from dataclasses import dataclass

from sourcebook.providers.storage.postgres_url import without_password
from sourcebook.service.config.settings import Settings


@dataclass(frozen=True, slots=True)
class PostgresDump:
    """A dump of the ledger or of conversations. `url` has no password: the programs ask for it."""

    name: str
    url: str

    @property
    def backup_command(self) -> str:
        return f"pg_dump --format=custom --no-owner --file={self.name}.dump {self._target}"

    @property
    def restore_command(self) -> str:
        return f"pg_restore --clean --if-exists --no-owner --dbname={self._target} {self.name}.dump"

    @property
    def _target(self) -> str:
        return shlex.quote(self.url)


def postgres_dumps(settings: Settings) -> tuple[PostgresDump, ...]:
    """Return a dump for each database; one that has both is dumped once."""
    given = {"ledger": settings.ledger_url, "conversations": settings.database_url}
    by_url: dict[str, PostgresDump] = {}
    for name, secret in given.items():
        if secret is not None:
            url = without_password(secret.get_secret_value())
            by_url.setdefault(url, PostgresDump(name, url))
    return tuple(by_url.values())
