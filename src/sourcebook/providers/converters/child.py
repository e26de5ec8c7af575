"""The process that converts files, one after another, with little memory and no network.

It reads a line of JSON and the bytes of a file from its standard input, and writes a line of JSON
to its standard output. It ends when its input does. If a `page` is asked for, it draws that, or
recognizes its text if a `language` is given.
"""

import base64
import ctypes
import json
import os
import resource
import sys
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any, BinaryIO

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.core.locations import location_json

# The text of a longer book than anybody writes; its tokens take forty times the memory.
MAX_TEXT_CHARACTERS = 8_000_000
MAX_OPEN_FILES = 64
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_FORBIDDEN = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostby",
    "socket.sendto",
    "socket.bind",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.system",
)


def main() -> None:
    """Convert what is asked for, until the input ends."""
    memory_bytes = int(sys.argv[1])
    incoming, outgoing = _private_streams()
    _confine(memory_bytes)
    while line := incoming.readline():
        asked = json.loads(line)
        content = incoming.read(asked["bytes"])
        reply = _reply(asked, content)
        outgoing.write(json.dumps(reply).encode() + b"\n")
        outgoing.flush()


def load_function(name: str) -> Callable[[bytes], ConvertedDocument]:
    """Import the function of a converter, which is named as `"module:function"`."""
    found: Callable[[bytes], ConvertedDocument] = resolve_name(name)
    return found


def load_renderer(name: str) -> Callable[[bytes, int], bytes]:
    """Import the function that draws a page of a file, which is named in the same way."""
    found: Callable[[bytes, int], bytes] = resolve_name(name)
    return found


def load_recognizer(name: str) -> Callable[[bytes, int, str, str], ConvertedDocument]:
    """Import the function that recognizes the text of a page, which is named in the same way."""
    found: Callable[[bytes, int, str, str], ConvertedDocument] = resolve_name(name)
    return found


def _reply(asked: Mapping[str, Any], content: bytes) -> dict[str, object]:
    """Return what was made, or the message of what is wrong with the file."""
    try:
        return _made(asked, content)
    except BookUnreadable as error:
        return {"problem": error.message}
    except MemoryError:
        return {"out_of_memory": True}
    except RecursionError:
        return {"problem": "Its parts are nested too deeply; simplify it, or convert it to PDF"}
    except ImportError as error:
        return {"missing": str(error.name)}
    # Foreign parsers raise whatever they please on damaged files, and the next file must be read.
    except Exception as error:  # noqa: BLE001
        return {"crash": type(error).__name__}


def _made(asked: Mapping[str, Any], content: bytes) -> dict[str, object]:
    function, page = asked["function"], asked.get("page")
    if page is None:
        return {"document": _as_json(_checked(load_function(function)(content)))}
    if "language" in asked:
        recognize = load_recognizer(function)
        found = recognize(content, page, asked["language"], asked["tessdata"])
        return {"document": _as_json(_checked(found))}
    picture = load_renderer(function)(content, page)
    return {"picture": base64.b64encode(picture).decode()}


def _checked(document: ConvertedDocument) -> ConvertedDocument:
    length = len(document.text)
    if length > MAX_TEXT_CHARACTERS:
        raise BookUnreadable(
            f"Its text has {length:,} characters, and {MAX_TEXT_CHARACTERS:,} is the most: divide"
            " it into several files"
        )
    return document


def _as_json(document: ConvertedDocument) -> dict[str, object]:
    return {
        "text": document.text,
        "locations": [location_json(place) for place in document.locations],
        "title": document.title,
        "warnings": document.warnings,
        "unread_pages": document.unread_pages,
    }


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return streams that no library can write to by printing."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return incoming, outgoing


def _confine(memory_bytes: int) -> None:
    """Take away what a parser has no need for: memory, files to write, the network, programs."""
    _leave_network()
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
    }
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))
    sys.addaudithook(_refuse)


def _leave_network() -> None:
    """Move to a network without interfaces, where the system allows it."""
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    if unshare is not None:
        unshare(_NEW_USER | _NEW_NETWORK)


def _refuse(event: str, _: tuple[object, ...]) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"A converter may not do this: {event}")


if __name__ == "__main__":
    main()
