"""Parses the JSON that services reply: objects, lists, and vectors as numbers or in base64."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import CallFailed

T = TypeVar("T")

NO_VECTOR = "gave something that is no vector"
ANOTHER_FORM = "gave a reply of another form: check its address in the settings"


def parse_object(value: JsonValue) -> dict[str, JsonValue]:
    """Return an object of the reply; CallFailed if it is something else."""
    if not isinstance(value, dict):
        raise CallFailed(ANOTHER_FORM)
    return value


def parse_list(value: JsonValue) -> list[JsonValue]:
    """Return a list of the reply; CallFailed if it is something else."""
    if not isinstance(value, list):
        raise CallFailed(ANOTHER_FORM)
    return value


def parse_indexed(
    value: JsonValue, count: int, noun: str, parse: Callable[[Mapping[str, JsonValue]], T]
) -> list[T]:
    """Parse a list of objects and order them by `index`, because services may send any order."""
    by_index: dict[int, T] = {}
    for row in map(parse_object, parse_list(value)):
        index = row.get("index")
        if not isinstance(index, int) or index in by_index or not 0 <= index < count:
            raise CallFailed(f"gave a {noun} with a wrong index")
        by_index[index] = parse(row)
    if len(by_index) != count:
        raise CallFailed(f"gave {len(by_index)} {noun}s for {count} texts")
    return [by_index[index] for index in range(count)]


def parse_vector(value: JsonValue) -> FloatArray:
    """Return a vector of 32-bit floats; CallFailed if it is none."""
    if isinstance(value, str):
        return _from_base64(value)
    if not isinstance(value, list):
        raise CallFailed(NO_VECTOR)
    try:
        numbers = np.asarray(value)
    except ValueError:
        raise CallFailed(NO_VECTOR) from None
    # NumPy would also make numbers of strings, booleans and null.
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        raise CallFailed(NO_VECTOR)
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def _from_base64(text: str) -> FloatArray:
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError):
        raise CallFailed(NO_VECTOR) from None
