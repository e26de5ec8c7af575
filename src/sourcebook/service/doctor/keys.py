"""Checks keys without showing them: whether they are set, and whether they can be keys at all."""

import re
import stat
from collections.abc import Iterator

from pydantic import SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.postgres_url import postgres_target
from sourcebook.service.config.admin_key import find_admin_key
from sourcebook.service.config.api_keys import MIN_KEY_LENGTH
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.doctor.results import CheckResult, ok, problem, warning

# Secret settings that are no keys but addresses with a password in them.
DATABASES = ("ledger_url", "database_url")
ADDRESSES = (*DATABASES, "redis_url", "docs_repository")
OPENAI_PREFIX = "sk-"
ADMIN_KEY = "ADMIN_API_KEY"
TOO_SHORT = f"is shorter than {MIN_KEY_LENGTH} characters"

_QUOTED = re.compile(r"""(["'])(.*)\1|[“‘].*[”’]""")
_PRINTABLE = re.compile(r"[\x21-\x7e]*")
_PLACEHOLDER = re.compile(
    r"<.*>|\.{2,}|…|(.)\1*|your[-_ ].*|.*(change|replace)[-_]?me.*|todo|none|null|key",
    re.IGNORECASE,
)


def check_keys(settings: Settings) -> Iterator[CheckResult]:
    """Look at every key that is set."""
    given = {name: getattr(settings, name) for name in Settings.model_fields}
    secrets = {name: value for name, value in given.items() if isinstance(value, SecretStr)}
    if not secrets.keys() - set(ADDRESSES):
        yield ok("Keys", "none is set")
    for name, secret in secrets.items():
        variable = str(Settings.model_fields[name].validation_alias)
        if name in DATABASES:
            yield _check_url(variable, secret.get_secret_value())
        elif name not in ADDRESSES:
            yield check_key(variable, secret.get_secret_value())


def check_admin_key(settings: Settings) -> Iterator[CheckResult]:
    """Look at the admin key that the service made, if no other is configured."""
    folder = DataFolder(settings.data_dir)
    if settings.admin_api_key is not None or find_admin_key(settings, folder) is None:
        return
    if folder.admin_key.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield warning(
            "Admin key",
            f"{folder.admin_key} can be read by other users of this machine",
            f"chmod 600 {folder.admin_key}",
        )
    else:
        yield ok("Admin key", f"in {folder.admin_key}")


def check_key(variable: str, value: str) -> CheckResult:
    """Say whether a value can be a key; it is not repeated."""
    again = f"Set {variable} again: copy it once more, without quotes"
    if variable == ADMIN_KEY:
        again = f"Set {variable} again: `openssl rand -hex 24` makes a good one"
    if (flaw := _flaw(value.strip())) is not None:
        return problem(variable, flaw, again)
    if variable == ADMIN_KEY and len(value) < MIN_KEY_LENGTH:
        return problem(variable, TOO_SHORT, again)
    if (doubt := _doubt(variable, value.strip())) is not None:
        return warning(variable, doubt, again)
    return ok(variable, "set")


def _flaw(value: str) -> str | None:
    """Say why a value cannot be a key."""
    if _QUOTED.fullmatch(value):
        return "has quotes around it"
    if _PLACEHOLDER.fullmatch(value):
        return "is a placeholder, not a key"
    return None if _PRINTABLE.fullmatch(value) else "has spaces or characters that no key has"


def _doubt(variable: str, value: str) -> str | None:
    """Say why a value is probably not the key that it should be."""
    if not value:
        return "is empty"
    if len(value) < MIN_KEY_LENGTH:
        return TOO_SHORT
    if variable == "OPENAI_API_KEY" and not value.startswith(OPENAI_PREFIX):
        return f"does not begin with {OPENAI_PREFIX}, as keys of OpenAI do"
    return None


def _check_url(variable: str, url: str) -> CheckResult:
    try:
        postgres_target(url)
    except ConfigurationError as error:
        message = error.message.replace("SOURCEBOOK_LEDGER_URL", variable)
        return problem(variable, message, f"Set {variable} again, as your provider gives it")
    return ok(variable, "set")
