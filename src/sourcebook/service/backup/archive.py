"""The archive of a backup: a zip file with databases, uploaded files and a manifest of hashes."""

import hashlib
import json
import lzma
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.providers.storage.sqlite_copy import DatabaseContents

FORMAT = "sourcebook-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
# Some 300,000 uploaded files.
MAX_MANIFEST_BYTES = 100_000_000
BLOCK_BYTES = 1 << 20
# Vectors hardly shrink, and a higher level would take three times as long.
COMPRESSION_LEVEL = 1
# What reading a part raises that is missing, damaged, encrypted (RuntimeError), or packed in a way
# that Python does not know (NotImplementedError, which is one).
UNREADABLE = (
    KeyError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the archive."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the archive holds. `elsewhere` names what is in Postgres, and so not in it."""

    created_at: str
    sourcebook: str
    contents: DatabaseContents
    elsewhere: tuple[str, ...] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)
    format: str = FORMAT
    format_version: int = FORMAT_VERSION


_MANIFEST: TypeAdapter[Manifest] = TypeAdapter(Manifest)


@contextmanager
def scratch_beside(file: Path) -> Iterator[Path]:
    """Yield a folder on the disk of the file, which is removed at the end."""
    try:
        with tempfile.TemporaryDirectory(
            prefix=f".{file.name}-", dir=file.absolute().parent
        ) as folder:
            yield Path(folder)
    except OSError as error:
        raise ConfigurationError(
            f"{str(file)!r} cannot be written: {error.strerror or error}. A backup needs twice the"
            " size of the data folder's databases, and that of the uploaded files, for a while"
        ) from None


def write_archive(file: Path, manifest: Manifest, parts: Mapping[str, Path]) -> Manifest:
    """Write the archive, durably, and return the manifest with the hashes of its parts.

    A part that is gone by now was deleted meanwhile, and is left out.
    """
    written: dict[str, Part] = {}
    # Conversations are private, so nobody else may read it.
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w+b") as target:
        with zipfile.ZipFile(
            target, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL
        ) as archive:
            for name, path in parts.items():
                with (
                    suppress(FileNotFoundError),
                    path.open("rb") as source,
                    archive.open(name, "w", force_zip64=True) as sink,
                ):
                    written[name] = _copy(source, sink)
            complete = replace(manifest, parts=written)
            archive.writestr(MANIFEST, json.dumps(asdict(complete), indent=2))
        target.flush()
        os.fsync(target.fileno())
    return complete


def read_manifest(file: Path) -> Manifest:
    """Read what an archive holds; InvalidInput if it is none, or of a later release."""
    with _opened(file) as archive:
        try:
            with archive.open(MANIFEST) as source:
                text = source.read(MAX_MANIFEST_BYTES)
            manifest = _MANIFEST.validate_json(text)
        except (*UNREADABLE, ValidationError):
            raise _no_backup(file) from None
    if manifest.format != FORMAT:
        raise _no_backup(file)
    if manifest.format_version > FORMAT_VERSION:
        raise InvalidInput(
            f"{file.name!r} was made by Sourcebook {manifest.sourcebook}, in format"
            f" {manifest.format_version}; this release reads up to {FORMAT_VERSION}. Upgrade first"
        )
    return manifest


def extract(file: Path, manifest: Manifest, folder: Path) -> None:
    """Extract all parts, durably; InvalidInput if their content is not what was backed up."""
    with _opened(file) as archive:
        for name, wanted in manifest.parts.items():
            target = folder / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                with archive.open(name) as source, target.open("wb") as sink:
                    found = _copy(source, sink, limit=wanted.bytes + 1)
                    sink.flush()
                    os.fsync(sink.fileno())
            except UNREADABLE:
                found = None
            if found != wanted:
                raise InvalidInput(
                    f"{file.name!r} is damaged: its {name} is not what was backed up. Use another"
                    " copy of the backup"
                )


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(file)
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {str(file)!r}") from None
    except zipfile.BadZipFile:
        raise _no_backup(file) from None
    except OSError as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error.strerror or error}") from None
    with archive:
        yield archive


def _copy(source: IO[bytes], sink: IO[bytes], limit: int | None = None) -> Part:
    digest, size = hashlib.sha256(), 0
    while (limit is None or size < limit) and (block := source.read(BLOCK_BYTES)):
        sink.write(block)
        digest.update(block)
        size += len(block)
    return Part(size, digest.hexdigest())


def _no_backup(file: Path) -> InvalidInput:
    return InvalidInput(
        f"{file.name!r} is no backup of Sourcebook, or it is not complete: it should be a file that"
        " `sourcebook backup` wrote"
    )
