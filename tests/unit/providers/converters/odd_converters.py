"""Converters that do what none may do. They import little: a process starts with them."""

import os
import time

from sourcebook.core.documents import ConvertedDocument, Location


def echo(content: bytes) -> ConvertedDocument:
    """Give back everything that a document can have."""
    place = Location(0, 2, 3, ((0.1, 0.2, 0.3, 0.4),), "a", 4, 5, 6)
    return ConvertedDocument(content.decode(), (place,), "Title", ("A warning",))


def die(_: bytes) -> ConvertedDocument:
    os.abort()


def hang(_: bytes) -> ConvertedDocument:
    time.sleep(60)
    return ConvertedDocument("awake")


def swell(_: bytes) -> ConvertedDocument:
    return ConvertedDocument("x" * len(bytearray(2**31)))


def connect(_: bytes) -> ConvertedDocument:
    import socket  # noqa: PLC0415

    socket.create_connection(("127.0.0.1", 9), timeout=1)
    return ConvertedDocument("connected")


def write(_: bytes) -> ConvertedDocument:
    with open(f"/tmp/sourcebook-{os.getpid()}", "w") as file:  # noqa: PTH123, S108
        file.write("written")
    return ConvertedDocument("written")


def read_key(_: bytes) -> ConvertedDocument:
    return ConvertedDocument(os.environ.get("ADMIN_API_KEY", "none"))
