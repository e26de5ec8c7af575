"""Vectors as servers write them: numbers in JSON, or 32-bit floats in base64."""

import base64
import binascii

import numpy as np

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.providers.outbound.json_server import CallFailed

NO_VECTOR = "gave something that is no vector"


def read_vector(value: JsonValue) -> FloatArray:
    """The vector; CallFailed if there is none."""
    if isinstance(value, str):
        return _from_base64(value)
    if not isinstance(value, list):
        raise CallFailed(NO_VECTOR)
    try:
        numbers = np.asarray(value)
    except ValueError:
        raise CallFailed(NO_VECTOR) from None
    # Anything else would be made a number too: texts, truth values, nothing at all.
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        raise CallFailed(NO_VECTOR)
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def _from_base64(text: str) -> FloatArray:
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError):
        raise CallFailed(NO_VECTOR) from None


def table(value: JsonValue) -> dict[str, JsonValue]:
    """The reply as an object; CallFailed if it is something else."""
    if not isinstance(value, dict):
        raise CallFailed("gave a reply of another form: check its address in the settings")
    return value


def rows(value: JsonValue) -> list[JsonValue]:
    """A part of the reply as a list; CallFailed if it is something else."""
    if not isinstance(value, list):
        raise CallFailed("gave a reply of another form: check its address in the settings")
    return value
