"""An exchange as a row, and a row as an exchange."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import get_args

from sqlalchemy import RowMapping

from sourcebook.core.conversations import Exchange, ExchangeMode
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue, check_text
from sourcebook.providers.storage.texts import as_storable

_MODES: Mapping[object, ExchangeMode] = {mode: mode for mode in get_args(ExchangeMode)}


def as_row(exchange: Exchange) -> dict[str, object]:
    """The columns of an exchange. What no database takes as text is written as an escape."""
    # An escape could turn one session's id into that of another.
    check_text(exchange.session_id, "session id")
    selected = exchange.selected_text
    return {
        "id": _uuid(exchange.id),
        "session_id": exchange.session_id,
        "query": as_storable(exchange.query),
        "response": as_storable(exchange.response),
        "sources": [_storable(dict(source)) for source in exchange.sources],
        "mode": exchange.mode,
        "selected_text": None if selected is None else as_storable(selected),
        "chunks_retrieved": exchange.chunks_retrieved,
        "latency_ms": exchange.latency_ms,
        "created_at": as_time(exchange.created_at_s),
    }


def as_exchange(row: RowMapping) -> Exchange:
    """The exchange of a row; one that another program wrote may lack much."""
    sources = row["sources"]
    return Exchange(
        id=str(row["id"]),
        session_id=row["session_id"],
        query=row["query"] or "",
        response=row["response"] or "",
        sources=tuple(source for source in sources if isinstance(source, Mapping))
        if isinstance(sources, list)
        else (),
        mode=_MODES.get(row["mode"], "general"),
        selected_text=row["selected_text"],
        chunks_retrieved=row["chunks_retrieved"] or 0,
        latency_ms=row["latency_ms"] or 0.0,
        created_at_s=_as_seconds(row["created_at"]),
    )


def as_time(seconds: float) -> datetime:
    """Unix seconds as the column has them: in UTC, to the microsecond."""
    return datetime.fromtimestamp(seconds, UTC)


def _as_seconds(time: datetime) -> float:
    # SQLite keeps no zone. What it keeps is UTC, whatever the zone of this machine.
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise InvalidInput(f"The id of an exchange must be a UUID, not {text[:40]!r}") from None


def _storable(value: JsonValue) -> JsonValue:
    """JSON as `jsonb` takes it, which refuses some texts even when they are escaped."""
    if isinstance(value, str):
        return as_storable(value)
    if isinstance(value, list):
        return [_storable(element) for element in value]
    if isinstance(value, dict):
        return {as_storable(key): _storable(element) for key, element in value.items()}
    return value
