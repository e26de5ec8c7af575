"""Reads files of JSON lines; what is wrong is said with the file and the line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from sourcebook.core.errors import InvalidInput

Line: TypeAlias = Mapping[str, object]


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank with their numbers, from 1."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{str(path)!r} is not UTF-8 text") from None


def read_json_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the object on each line with its number; InvalidInput if one holds none."""
    for number, line in read_lines(path):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise unusable(path, number, "is no JSON") from None
        if not isinstance(found, dict):
            raise unusable(path, number, "is no JSON object")
        yield number, found


def unusable(path: Path, number: int, problem: str) -> InvalidInput:
    """Return the error for a line: the problem goes on from 'line 3 of …'."""
    return InvalidInput(f"Line {number} of {str(path)!r} {problem}")
