"""Exported files as JSON lines, compressed or not."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

from sourcebook.core.errors import InvalidInput
from sourcebook.ingestion.transfer.records import MovedRecord, ReadRecord
from sourcebook.providers.transfer_files.lines import as_object, parse_record

# More than the largest document with its vectors.
MAX_LINE_BYTES = 512 * 1024 * 1024
COMPRESSION_LEVEL = 4


class JsonLinesWriter:
    """Writes one line for each record."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, record: MovedRecord) -> None:
        line = json.dumps(
            as_object(record), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        self._file.write(line.encode() + b"\n")


@contextmanager
def open_jsonl_writer(path: Path, *, compressed: bool) -> Iterator[JsonLinesWriter]:
    """Open a new file."""
    if not compressed:
        with path.open("xb") as file:
            yield JsonLinesWriter(file)
        return
    with gzip.open(path, "xb", COMPRESSION_LEVEL) as packed:
        yield JsonLinesWriter(packed)  # type: ignore[arg-type]


def read_jsonl(path: Path, *, compressed: bool) -> Iterator[ReadRecord]:
    """Read a file line by line; InvalidInput if it ends before its end, or cannot be unpacked."""
    number = 0
    try:
        with gzip.open(path, "rb") if compressed else path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                number += 1
                if line.strip():
                    yield ReadRecord(f"line {number}", _parsed(line))
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InvalidInput(
            f"{path.name!r} is damaged or not complete: it cannot be unpacked after line {number}"
        ) from None


def _parsed(line: bytes) -> MovedRecord | InvalidInput:
    try:
        # Not orjson, which rounds integers beyond 64 bits.
        return parse_record(json.loads(line, parse_constant=_refuse))
    except InvalidInput as error:
        return error
    except UnicodeDecodeError:
        return InvalidInput("It is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        return InvalidInput(f"It is not JSON: {error}")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
