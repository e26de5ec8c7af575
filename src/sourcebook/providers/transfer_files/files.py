"""Opens files to export to and import from, by the endings of their names."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from sourcebook.core.errors import AlreadyExists, ConfigurationError, InvalidInput
from sourcebook.ingestion.transfer.records import MovedRecord, ReadRecord
from sourcebook.providers.transfer_files.jsonl import open_jsonl_writer, read_jsonl
from sourcebook.providers.transfer_files.parquet import open_parquet_writer, read_parquet

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")


class RecordWriter(Protocol):
    """Writes records to a file, one after another."""

    def write(self, record: MovedRecord) -> None:
        """Append a record."""
        ...


@contextmanager
def open_record_writer(path: Path, *, replace_file: bool = False) -> Iterator[RecordWriter]:
    """Write a file that appears under its name when it is complete.

    AlreadyExists if there is one, unless it may be replaced; InvalidInput if its ending is unknown.
    """
    check_ending(path)
    if path.exists() and not replace_file:
        raise AlreadyExists(
            f"{str(path)!r} exists already: choose another name, or replace it with --force"
        )
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _writer(draft, path.name) as writer:
            yield writer
        draft.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} cannot be written: {error.strerror or error}"
        ) from None
    finally:
        draft.unlink(missing_ok=True)


async def read_records(path: Path) -> AsyncIterator[ReadRecord]:
    """Yield what a file holds; InvalidInput if it cannot be read, or not to its end."""
    check_ending(path)
    try:
        for record in _reader(path):
            yield record
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {str(path)!r}") from None
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def check_ending(path: Path) -> None:
    """Refuse a file whose name does not say what it is."""
    if not path.name.endswith(ENDINGS):
        raise InvalidInput(
            f"{path.name!r} does not say what kind of file it is: its name must end in"
            f" {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )


def _writer(draft: Path, name: str) -> AbstractContextManager[RecordWriter]:
    if name.endswith(".parquet"):
        return open_parquet_writer(draft)
    return open_jsonl_writer(draft, compressed=name.endswith(".gz"))


def _reader(path: Path) -> Iterator[ReadRecord]:
    if path.name.endswith(".parquet"):
        return read_parquet(path)
    return read_jsonl(path, compressed=path.name.endswith(".gz"))
