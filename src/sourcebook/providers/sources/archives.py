"""Reads the files of zip and tar archives, also of those that are made to fill the memory."""

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BufferedIOBase
from typing import IO, BinaryIO, Protocol, Self, cast

from sourcebook.core.errors import InvalidInput

MIB = 1024 * 1024
MAX_UNPACKED_BYTES = 1024 * MIB
MAX_ENTRIES = 100_000
# The names of files stand in records that are read at once, however long they claim to be.
MAX_ZIP_DIRECTORY_BYTES = 16 * MIB
MAX_TAR_RECORD_BYTES = MIB
# What zipfile reads at once it also unpacks at once, to thousands of times as much, except DEFLATE.
MAX_READ_BYTES = 4096

_TAR = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
_NAME_RECORDS = frozenset(
    {
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
    }
)
_COMPRESSIONS: Mapping[bytes, Callable[[BinaryIO], BufferedIOBase]] = {
    b"\x1f\x8b": lambda content: gzip.GzipFile(fileobj=content),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, TypeError, LookupError, OverflowError, NotImplementedError),
    RuntimeError,  # for a password
)


class DamagedArchive(Exception):
    """An archive that cannot be read."""


class Readable(Protocol):
    """What can be read piece by piece."""

    def read(self, size: int, /) -> bytes: ...


class Member:
    """A file of an archive."""

    def __init__(self, content: Readable, max_read_bytes: int = MIB) -> None:
        self._content = content
        self._max_read_bytes = max_read_bytes

    def read(self, size: int, /) -> bytes:
        """Read on; DamagedArchive."""
        try:
            return self._content.read(min(size, self._max_read_bytes))
        except _DAMAGED as error:
            raise DamagedArchive from error


def is_archive(name: str) -> bool:
    return name.lower().endswith((".zip", *_TAR))


def archive_members(name: str, content: BinaryIO) -> Iterator[tuple[str, Member]]:
    """Yield the regular files of an archive, with their names, each to be read before the next.

    DamagedArchive if it cannot be read, InvalidInput if there is too much in it.
    """
    members = _zip_members if name.lower().endswith(".zip") else _tar_members
    try:
        yield from members(content)
    except _DAMAGED as error:
        raise DamagedArchive from error


def _zip_members(content: BinaryIO) -> Iterator[tuple[str, Member]]:
    with zipfile.ZipFile(cast("IO[bytes]", _ZipFile(content))) as archive:
        entries = archive.infolist()
        _check_entries(len(entries))
        for entry in entries:
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if entry.is_dir() or kind not in {0, stat.S_IFREG}:
                continue
            bounded = entry.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
            with archive.open(entry) as member:
                yield entry.filename, Member(member, MIB if bounded else MAX_READ_BYTES)


class _ZipFile:
    """A file whose directory of names must not be too long."""

    def __init__(self, content: BinaryIO) -> None:
        self.seek = content.seek
        self.tell = content.tell
        self.seekable = content.seekable
        self._content = content

    def read(self, size: int = -1) -> bytes:
        if size > MAX_ZIP_DIRECTORY_BYTES:
            raise InvalidInput("There are too many names in the archive; send fewer files at once")
        return self._content.read(size)


def _tar_members(content: BinaryIO) -> Iterator[tuple[str, Member]]:
    # As a stream, in which nothing goes back: a compressed file would be unpacked anew each time.
    unpacked = _decompressed(content)
    with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_TarEntry) as archive:
        for count, entry in enumerate(archive, start=1):
            _check_entries(count)
            # What is left out is unpacked too, to get past it.
            if entry.offset_data + entry.size > MAX_UNPACKED_BYTES:
                raise InvalidInput(
                    f"Unpacked, the archive has more than {MAX_UNPACKED_BYTES // MIB} MiB; send"
                    " fewer files"
                )
            member = archive.extractfile(entry) if entry.isreg() else None
            if member is not None:
                yield entry.name, Member(member)
    # The checksum is at the end.
    unpacked.read(MIB)


def _decompressed(content: BinaryIO) -> IO[bytes]:
    start = content.read(max(map(len, _COMPRESSIONS)))
    content.seek(0)
    for magic, decompress in _COMPRESSIONS.items():
        if start.startswith(magic):
            return cast("IO[bytes]", decompress(content))
    return content


class _TarEntry(tarfile.TarInfo):
    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parse a header; ReadError before a record is read that is too long."""
        entry = super().frombuf(buf, encoding, errors)
        if entry.type in _NAME_RECORDS and entry.size > MAX_TAR_RECORD_BYTES:
            raise tarfile.ReadError(f"a record of {entry.size} bytes")
        return entry


def _check_entries(count: int) -> None:
    if count > MAX_ENTRIES:
        raise InvalidInput(f"The archive has more than {MAX_ENTRIES:,} entries; send fewer files")
