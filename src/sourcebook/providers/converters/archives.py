"""Opens the zip files that many documents are, unless they are bombs."""

import io
import zipfile
import zlib

from sourcebook.core.errors import BookUnreadable

MIB = 1024 * 1024
MAX_PARTS = 10_000
MAX_UNPACKED_BYTES = 300 * MIB
MAX_XML_BYTES = 50 * MIB
_HEAD_BYTES = 4096
_XML = (".xml", ".rels", ".opf", ".ncx")
_ENCRYPTED = 0x1


def open_archive(content: bytes) -> zipfile.ZipFile:
    """Open a document that is a zip file; BookUnreadable if it is damaged, locked or a bomb."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        raise BookUnreadable("The file is damaged or cut off; open it and save it again") from None
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if len(parts) > MAX_PARTS or unpacked > MAX_UNPACKED_BYTES:
        raise BookUnreadable(
            f"Unpacked, it has {len(parts):,} parts and {unpacked // MIB:,} MiB; the most are"
            f" {MAX_PARTS:,} and {MAX_UNPACKED_BYTES // MIB}"
        )
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise BookUnreadable("It is locked with a password; save it without one")
    for part in parts:
        if part.filename.lower().endswith(_XML):
            _check_xml(archive, part)
    return archive


def read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a part of a document; BookUnreadable if it lacks it."""
    try:
        return archive.read(name)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        raise BookUnreadable(
            f"The file is damaged: its part {name[:80]!r} cannot be read; open it and save it again"
        ) from None


def _check_xml(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse XML that declares entities: documents have none, and they can grow without end."""
    if part.file_size > MAX_XML_BYTES:
        raise BookUnreadable(
            f"Its part {part.filename[:80]!r} has {part.file_size // MIB} MiB, and"
            f" {MAX_XML_BYTES // MIB} is the most"
        )
    try:
        with archive.open(part) as stream:
            head = stream.read(_HEAD_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        raise BookUnreadable("The file is damaged or cut off; open it and save it again") from None
    if b"<!ENTITY" in head:
        raise BookUnreadable("Its XML declares entities, which documents have no use for")
