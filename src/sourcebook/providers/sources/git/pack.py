"""Checks a received pack before it is unpacked: a small one can hold huge objects."""

import zlib
from typing import IO

from sourcebook.providers.sources.listing import MIB

MAX_PACK_BYTES = 1024 * MIB
MAX_OBJECT_BYTES = 256 * MIB
MAX_UNPACKED_BYTES = 4096 * MIB

_HEADER_BYTES = 12
_OFS_DELTA, _REF_DELTA = 6, 7
_HASH_BYTES = 20
_READ_BYTES = 64 * 1024
_OVERHEAD_BYTES = 64
# A delta begins with the sizes of its base and of its result.
_DELTA_SIZES_BYTES = 20


class PackRefused(Exception):
    """The pack is too large, or is no pack."""


class CappedPack:
    """A file that accepts a limited number of bytes."""

    def __init__(self, file: IO[bytes], max_bytes: int = MAX_PACK_BYTES) -> None:
        self._file = file
        self._left = max_bytes

    def write(self, data: bytes) -> int:
        """Append to the pack; PackRefused if it becomes too large."""
        self._left -= len(data)
        if self._left < 0:
            raise PackRefused("it is larger than we receive")
        try:
            return self._file.write(data)
        except OSError as error:
            raise PackRefused(f"it cannot be stored: {error.strerror}") from error


def check_pack(
    file: IO[bytes],
    max_object_bytes: int = MAX_OBJECT_BYTES,
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES,
) -> None:
    """Refuse a pack with an object too large to hold in memory, or with too much of them all."""
    file.seek(0)
    header = file.read(_HEADER_BYTES)
    if header[:4] != b"PACK" or len(header) < _HEADER_BYTES:
        raise PackRefused("it is no pack")
    try:
        left = max_unpacked_bytes
        for _ in range(int.from_bytes(header[8:])):
            left -= _check_object(file, min(max_object_bytes, left))
    except zlib.error as error:
        raise PackRefused("it is damaged") from error
    file.seek(0)


def _check_object(file: IO[bytes], max_bytes: int) -> int:
    """The size of the next object; PackRefused if that is too much."""
    kind, size = _object_header(file)
    if kind == _OFS_DELTA:
        while _byte(file) & 0x80:
            pass
    elif kind == _REF_DELTA:
        file.read(_HASH_BYTES)
    if size > max_bytes:
        raise PackRefused(f"it holds an object of {size} bytes, or too many")
    beginning = _skip_compressed(file, size)
    if kind in {_OFS_DELTA, _REF_DELTA}:
        size = _result_size(beginning)
    if size > max_bytes:
        raise PackRefused(f"it holds an object of {size} bytes, or too many")
    return size


def _object_header(file: IO[bytes]) -> tuple[int, int]:
    byte = _byte(file)
    kind, size, shift = (byte >> 4) & 7, byte & 15, 4
    while byte & 0x80:
        byte = _byte(file)
        size |= (byte & 0x7F) << shift
        shift += 7
    return kind, size


def _skip_compressed(file: IO[bytes], size: int) -> bytes:
    """Skip a compressed object, and return its first bytes."""
    unpacking = zlib.decompressobj()
    beginning = b""
    unpacked = 0
    while not unpacking.eof:
        # No more than the object may need: whatever is read past its end is read again.
        piece = unpacking.unconsumed_tail or file.read(min(_READ_BYTES, size + _OVERHEAD_BYTES))
        if not piece:
            raise PackRefused("it ends in the middle of an object")
        output = unpacking.decompress(piece, _READ_BYTES)
        unpacked += len(output)
        if unpacked > size:
            raise PackRefused("it holds an object larger than it says")
        beginning = beginning or output[:_DELTA_SIZES_BYTES]
    file.seek(-len(unpacking.unused_data), 1)
    return beginning


def _result_size(delta: bytes) -> int:
    sizes = []
    size = shift = 0
    for byte in delta:
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            sizes.append(size)
            size = shift = 0
    return sizes[1] if len(sizes) > 1 else 0


def _byte(file: IO[bytes]) -> int:
    byte = file.read(1)
    if not byte:
        raise PackRefused("it ends in the middle of an object")
    return byte[0]
