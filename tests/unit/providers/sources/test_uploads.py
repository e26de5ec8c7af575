"""Uploaded files: kept whole or not at all, and never outside of their book's folder."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from sourcebook.core.errors import InvalidInput, NotFound
from sourcebook.core.uploads import IncomingFile
from sourcebook.providers.sources import uploads
from sourcebook.providers.sources.uploads import UploadFolder


@pytest.fixture
def folder(tmp_path: Path) -> UploadFolder:
    return UploadFolder(tmp_path / "uploads")


def file(name: str, content: bytes = b"text") -> IncomingFile:
    return IncomingFile(name, io.BytesIO(content))


def zipped(*names: str, link: str | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"text")
        if link is not None:
            entry = zipfile.ZipInfo(link)
            entry.external_attr = 0o120777 << 16
            archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


def tarred(*names: str, link: str | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"text"))
        if link is not None:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry)
    return out.getvalue()


def kept(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


async def test_files_are_kept_by_their_paths_and_replaced(
    folder: UploadFolder, tmp_path: Path
) -> None:
    await folder.add("robots", [file("a.md"), file("guide/b.pdf", b"old")])
    stored = await folder.add("robots", [file("guide/b.pdf", b"newer")])

    assert [(one.path, one.size) for one in stored] == [("guide/b.pdf", 5)]
    assert kept(tmp_path / "uploads") == ["robots/a.md", "robots/guide/b.pdf"]
    assert (tmp_path / "uploads/robots/guide/b.pdf").read_bytes() == b"newer"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("all.zip", zipped("a.md", "guide/b.md", ".git/config", link="link.md")),
        ("all.tar.gz", tarred("./a.md", "guide/b.md", ".git/config", link="link.md")),
    ],
)
async def test_an_archive_is_unpacked_without_links_and_hidden_files(
    folder: UploadFolder, tmp_path: Path, name: str, content: bytes
) -> None:
    await folder.add("robots", [file(name, content)])

    assert kept(tmp_path / "uploads/robots") == ["a.md", "guide/b.md"]


@pytest.mark.parametrize(
    "bad",
    [
        file("../a.md"),
        file("/etc/a.md"),
        file("a\u202e.md"),
        file(".hidden.md"),
        file(""),
        file("x" * 300 + ".md"),
        file("all.zip", zipped("a.md", "../../b.md")),
        file("all.zip", zipped("/".join(["x" * 190] * 30))),
        file("all.tar", tarred("/abs/b.md")),
        file("all.zip", b"PK\x03\x04 damaged"),
        file("all.tgz", tarred("a.md")[:40]),
        file("all.zip", zipped()),
    ],
    ids=lambda bad: bad.name[:12] or "no name",
)
async def test_what_cannot_be_kept_leaves_nothing_behind(
    folder: UploadFolder, tmp_path: Path, bad: IncomingFile
) -> None:
    with pytest.raises(InvalidInput):
        await folder.add("robots", [file("good.md"), bad] if bad.name != "all.zip" else [bad])

    assert kept(tmp_path) == []


async def test_a_bomb_is_stopped_while_it_is_unpacked(
    folder: UploadFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 10)

    with pytest.raises(InvalidInput, match="Unpacked"):
        await folder.add("robots", [file("all.zip", zipped("a.md", "b.md", "c.md"))])

    assert kept(tmp_path) == []


async def test_a_deleted_file_takes_its_empty_folders_with_it(
    folder: UploadFolder, tmp_path: Path
) -> None:
    await folder.add("robots", [file("a.md"), file("deep/er/b.md")])

    await folder.remove("robots", "deep/er/b.md")

    assert [path.name for path in (tmp_path / "uploads/robots").iterdir()] == ["a.md"]


@pytest.mark.parametrize(("book", "path"), [("robots", "b.md"), ("jays", "a.md"), ("..", "a.md")])
async def test_what_was_not_uploaded_cannot_be_deleted(
    folder: UploadFolder, book: str, path: str
) -> None:
    await folder.add("robots", [file("a.md")])

    with pytest.raises(NotFound):
        await folder.remove(book, path)


async def test_a_book_cannot_lead_outside(folder: UploadFolder) -> None:
    with pytest.raises(InvalidInput, match="book_id"):
        await folder.add("../robots", [file("a.md")])
