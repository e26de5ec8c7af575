"""Compiles each SQL statement once for all engines of a worker, not once for each ledger."""

from collections import UserDict
from typing import TypeAlias

from sqlalchemy import Compiled, Dialect

from sourcebook.providers.storage.sql import ENGINE_SETTINGS

# The dialect, the key of the statement, and what else the engine compiled it for.
Key: TypeAlias = tuple[Dialect, *tuple[object, ...]]

MAX_STATEMENTS = 2_000


class StatementCache(UserDict[object, Compiled]):
    """Shares the statements of all dialects of a class, which our engines set up alike."""

    def get(self, key: Key, default: Compiled | None = None) -> Compiled | None:  # type: ignore[override]
        return self.data.get(_shared(key), default)

    def __setitem__(self, key: Key, compiled: Compiled) -> None:  # type: ignore[override]
        if len(self.data) >= MAX_STATEMENTS:
            self.data.clear()
        self.data[_shared(key)] = compiled


def share_statements() -> None:
    """Let every engine that is made from here on use one cache."""
    settings: dict[str, object] = ENGINE_SETTINGS  # type: ignore[assignment]
    settings["execution_options"] = {"compiled_cache": StatementCache()}


def _shared(key: Key) -> tuple[object, ...]:
    dialect, *statement = key
    return type(dialect), *statement
