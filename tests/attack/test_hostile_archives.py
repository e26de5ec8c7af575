"""An uploaded archive cannot fill the memory, and whatever is wrong with it is said."""

import io
import random
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.core.errors import InvalidInput
from sourcebook.core.uploads import IncomingFile
from sourcebook.providers.sources import archives
from sourcebook.providers.sources.archives import MIB, DamagedArchive, archive_members
from sourcebook.providers.sources.uploads import UploadFolder
from tests.attack import LONG

MUTATIONS = 20_000 if LONG else 400
TEXT = b"# Arms\n\nAn arm has joints.\n" * 10


def tarred(
    *entries: tuple[str, bytes, bytes], mode: str = "w:", size: int | None = None
) -> io.BytesIO:
    """A tar of entries of a name, a type and a content; `size` is what the last one claims."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size = kind, len(content)
            archive.addfile(entry, io.BytesIO(content))
    if size is not None:
        entry.size = size
        return io.BytesIO(entry.tobuf(tarfile.GNU_FORMAT) + content)
    return io.BytesIO(out.getvalue())


def zipped(compression: int, count: int = 3) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for number in range(count):
            archive.writestr(f"{number}.md", TEXT * 100)
    return io.BytesIO(out.getvalue())


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_record_of_a_tar_is_not_read_if_it_claims_to_be_long(kind: bytes) -> None:
    content = tarred(("name", kind, b"a" * 3 * MIB), size=3 * MIB)

    with pytest.raises(DamagedArchive):
        list(archive_members("a.tar", content))

    assert content.tell() < MIB


def test_what_is_left_out_of_a_tar_counts_as_unpacked() -> None:
    hidden = tarred((".git", tarfile.REGTYPE, b"a" * 512), size=2 * archives.MAX_UNPACKED_BYTES)

    with pytest.raises(InvalidInput, match="Unpacked"):
        list(archive_members("a.tar", hidden))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_zipfile_unpacks_in_one_go_is_read_in_small_steps(compression: int) -> None:
    members = archive_members("a.zip", zipped(compression, count=1))
    _, member = next(members)

    assert 0 < len(member.read(MIB)) <= archives.MAX_READ_BYTES


def test_a_directory_of_a_zip_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ZIP_DIRECTORY_BYTES", 100)

    with pytest.raises(InvalidInput, match="too many names"):
        list(archive_members("a.zip", zipped(zipfile.ZIP_STORED)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", zipped(zipfile.ZIP_STORED)),
        ("a.tar", tarred(*[(".x", tarfile.REGTYPE, b"")] * 3)),
    ],
)
def test_an_archive_has_a_limited_number_of_entries(
    monkeypatch: pytest.MonkeyPatch, name: str, content: io.BytesIO
) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRIES", 2)

    with pytest.raises(InvalidInput, match="more than 2 entries"):
        list(archive_members(name, content))


def mutated(number: int) -> tuple[str, bytes]:
    """One of the archives below with some bytes changed, put in, or cut off."""
    chance = random.Random(number)  # noqa: S311 - the same each time
    name, whole = chance.choice(ARCHIVES)
    content = bytearray(whole)
    for _ in range(chance.choice((1, 2, 8))):
        place = chance.randrange(len(content))
        match chance.randrange(4):
            case 0:
                content[place] = chance.randrange(256)
            case 1:
                content[place : place + 4] = chance.choice((b"\xff" * 4, b"\0" * 4, b"9999"))
            case 2:
                content[place:place] = content[place // 2 : place // 2 + 40]
            case _:
                content = content[:place] or content
    return name, bytes(content)


def _archives() -> Iterator[tuple[str, bytes]]:
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        yield "a.zip", zipped(compression).getvalue()
    entries = [("a.md", tarfile.REGTYPE, TEXT), (f"{'b' * 120}.md", tarfile.REGTYPE, TEXT)]
    for ending in ("", "gz", "xz", "bz2"):
        yield f"a.tar.{ending}".rstrip("."), tarred(*entries, mode=f"w:{ending}").getvalue()


ARCHIVES = tuple(_archives())


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_whatever_is_wrong_with_an_archive_is_bad_input(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path)
    refused = 0
    for number in range(MUTATIONS):
        name, content = mutated(number)
        try:
            await folder.add("robots", [IncomingFile(name, io.BytesIO(content))])
        except InvalidInput:
            refused += 1

    assert refused > MUTATIONS / 4
    assert names_in(tmp_path) <= {"robots"}
