"""Exported files as Parquet: the same fields as in JSON lines, metadata as JSON text."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.ingestion.transfer.records import MovedDocument, MovedRecord, ReadRecord
from sourcebook.providers.transfer_files.lines import as_object, parse_record

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

INSTALL = "pip install 'sourcebook[parquet]'"
# A group is kept in memory until it is written.
MAX_GROUP_ROWS = 500
MAX_GROUP_CHARACTERS = 10_000_000
READ_ROWS = 50
# What has no fixed form is kept as JSON text.
AS_JSON = ("metadata", "locations")


class ParquetWriter:
    """Writes rows in groups."""

    def __init__(self, writer: "pq.ParquetWriter", schema: "pa.Schema") -> None:
        self._writer = writer
        self._schema = schema
        self._rows: list[dict[str, object]] = []
        self._characters = 0

    def write(self, record: MovedRecord) -> None:
        self._rows.append(_as_row(as_object(record)))
        if isinstance(record, MovedDocument):
            self._characters += len(record.text)
        if len(self._rows) >= MAX_GROUP_ROWS or self._characters >= MAX_GROUP_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        import pyarrow as pa  # noqa: PLC0415

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows.clear()
            self._characters = 0


@contextmanager
def open_parquet_writer(path: Path) -> Iterator[ParquetWriter]:
    """Open a new file."""
    pa, pq = _library()
    schema = _schema(pa)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        writer = ParquetWriter(file, schema)
        yield writer
        writer.flush()


def read_parquet(path: Path) -> Iterator[ReadRecord]:
    """Read a file row by row; InvalidInput if it is no Parquet file."""
    pa, pq = _library()
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(READ_ROWS):
                for row in batch.to_pylist():
                    number += 1
                    yield ReadRecord(f"row {number}", _parsed(row))
    except pa.ArrowException:
        raise InvalidInput(
            f"{path.name!r} is no Parquet file, or damaged after row {number}"
        ) from None


def _library() -> "tuple[type[pa], type[pq]]":
    try:
        # An optional library, and large.
        import pyarrow  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(f"Parquet files need the library pyarrow: {INSTALL}") from error
    return pyarrow, pyarrow.parquet


def _schema(pa: "type[pa]") -> "pa.Schema":
    integers = pa.list_(pa.int64())
    book = pa.struct(
        {
            "book_id": pa.string(),
            "patterns": pa.list_(pa.string()),
            "exclude": pa.list_(pa.string()),
            "automatic": pa.bool_(),
            "source": pa.string(),
            "chosen_at_s": pa.float64(),
        }
    )
    chunk = pa.struct(
        {
            "id": pa.string(),
            "text": pa.string(),
            "metadata": pa.string(),
            "spans": pa.list_(integers),
            "lines": integers,
            "overlap": pa.int64(),
            "locations": pa.string(),
            "embedded_sha256": pa.string(),
            "vectors": pa.list_(pa.list_(pa.float32())),
        }
    )
    texts = ("type", "collection", "id", "text", "metadata", "version", "model", "model_revision")
    return pa.schema(
        {name: pa.string() for name in texts}
        | {"created_at_s": pa.float64(), "updated_at_s": pa.float64()}
        | {"books": pa.list_(book), "chunks": pa.list_(chunk)}
    )


def _as_row(value: dict[str, object]) -> dict[str, object]:
    """Return the object with what has no fixed form, also in its chunks, as JSON text."""
    texts = {name: json.dumps(value[name], ensure_ascii=False) for name in AS_JSON if name in value}
    row = {**value, **texts}
    chunks = value.get("chunks")
    if isinstance(chunks, list):
        row["chunks"] = [_as_row(chunk) for chunk in chunks]
    return row


def _parsed(row: dict[str, object]) -> MovedRecord | InvalidInput:
    try:
        return parse_record(_as_value(row))
    except InvalidInput as error:
        return error
    except ValueError:
        return InvalidInput("'metadata' or 'locations' is not JSON")


def _as_value(row: dict[str, object]) -> dict[str, object]:
    """Return the object that a row stands for: a column without a value is a missing field."""
    value = {name: found for name, found in row.items() if found is not None}
    for name in AS_JSON:
        if isinstance(value.get(name), str):
            value[name] = json.loads(str(value[name]))
    chunks = value.get("chunks")
    if isinstance(chunks, list):
        value["chunks"] = [_as_value(chunk) for chunk in chunks]
    return value
