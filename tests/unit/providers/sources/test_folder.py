import asyncio
import os
import socket
import unicodedata
from pathlib import Path

import pytest

from sourcebook.core.book_source import Listing
from sourcebook.core.errors import BookUnreadable, SourceUnavailable
from sourcebook.providers.sources.folder import FolderSource


def write(root: Path, *paths: str, text: str = "# Text\n") -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


async def listing_of(source: FolderSource) -> Listing:
    async with source.open() as tree:
        return tree.listing


def paths(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def problems(listing: Listing) -> dict[str, str]:
    return {problem.path: problem.message for problem in listing.problems}


def open_files() -> set[Path]:
    return set(Path("/proc/self/fd").iterdir())


async def test_markdown_below_the_root_is_listed_in_order_and_read(tmp_path: Path) -> None:
    write(tmp_path, "b/2.md", "b/1.mdx", "b/3.markdown", "a.md", "B.MD", text="täxt")
    async with FolderSource(tmp_path).open() as tree:
        assert paths(tree.listing) == ["B.MD", "a.md", "b/1.mdx", "b/2.md", "b/3.markdown"]
        assert tree.listing.source == str(tmp_path)
        assert {file.size for file in tree.listing.files} == {5}
        assert await tree.read("b/1.mdx") == "täxt".encode()
        assert tree.listing.problems == ()
        assert tree.listing.unseen == ()
        assert tree.listing.commit is None


async def test_hidden_files_are_passed_over_and_those_of_other_kinds_are_counted(
    tmp_path: Path,
) -> None:
    write(tmp_path, ".git/a.md", ".x.md", "node_modules/p/README.md", ".hidden.pdf")
    write(tmp_path, "logo.png", "deep/logo.PNG", "md", "a.md.bak", "LICENSE", "x.not an extension")
    listing = await listing_of(FolderSource(tmp_path))
    assert (paths(listing), problems(listing)) == ([], {})
    assert listing.other_files == {".png": 2, ".bak": 1, "other": 3}


async def test_the_kinds_that_are_counted_apart_are_limited(tmp_path: Path) -> None:
    write(tmp_path, *(f"file.x{number}" for number in range(200)))
    listing = await listing_of(FolderSource(tmp_path))
    assert len(listing.other_files) == 51
    assert sum(listing.other_files.values()) == 200


async def test_one_file_can_be_a_book(tmp_path: Path) -> None:
    write(tmp_path, "notes.Markdown", "other.md", text="täxt")
    (tmp_path / "link.md").symlink_to("notes.Markdown")
    for named in ("notes.Markdown", "link.md"):
        async with FolderSource(tmp_path / named).open() as tree:
            assert paths(tree.listing) == ["notes.Markdown"]
            assert tree.listing.single_file
            assert tree.listing.source == str(tmp_path / named)
            assert await tree.read("notes.Markdown") == "täxt".encode()
            with pytest.raises(BookUnreadable):
                await tree.read("other.md")
    assert not (await listing_of(FolderSource(tmp_path))).single_file


async def test_one_file_is_held_to_the_limits_of_any(tmp_path: Path) -> None:
    write(tmp_path, "large.md", text="x" * 100)
    large = await listing_of(FolderSource(tmp_path / "large.md", max_bytes=99))
    assert (paths(large), large.unseen) == ([], ("large.md",))
    write(tmp_path, "paper.pdf")
    with pytest.raises(SourceUnavailable, match=r"'paper.pdf' is no file that can be read"):
        await listing_of(FolderSource(tmp_path / "paper.pdf"))
    os.mkfifo(tmp_path / "pipe.md")
    async with asyncio.timeout(10):
        pipe = await listing_of(FolderSource(tmp_path / "pipe.md"))
    assert (paths(pipe), set(problems(pipe))) == ([], {"pipe.md"})


@pytest.mark.spec("002 FR-001")
async def test_nothing_outside_of_the_root_is_ever_listed_or_read(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write(root, "good.md")
    write(tmp_path, "secret/s.md")
    (root / "passwd.md").symlink_to("/etc/passwd")
    (root / "up").symlink_to("..")
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "loop").symlink_to(root)
    (root / "dangling.md").symlink_to("nowhere")
    async with FolderSource(root).open() as tree:
        assert paths(tree.listing) == ["good.md"]
        assert set(problems(tree.listing)) == {
            "passwd.md", "up", "folder", "loop", "dangling.md"
        }  # fmt: skip
        assert tree.listing.unseen == ()
        for path in ("passwd.md", "up/secret/s.md", "../secret/s.md", "/etc/passwd", ""):
            with pytest.raises(BookUnreadable):
                await tree.read(path)


async def test_a_link_named_like_no_document_is_a_file_of_another_kind(tmp_path: Path) -> None:
    write(tmp_path, "good.md")
    (tmp_path / "bootstrap.min.js").symlink_to("/usr/share/bootstrap.js")
    listing = await listing_of(FolderSource(tmp_path))

    assert problems(listing) == {}
    assert listing.other_files == {".js": 1}


async def test_pipes_sockets_and_sparse_giants_do_not_stop_the_walk(tmp_path: Path) -> None:
    write(tmp_path, "good.md")
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.md"))
        with (tmp_path / "giant.md").open("wb") as giant:
            giant.truncate(10 * 1024**3)
        async with asyncio.timeout(10):
            listing = await listing_of(FolderSource(tmp_path))
    assert paths(listing) == ["good.md"]
    assert set(problems(listing)) == {"pipe.md", "s.md", "giant.md"}
    assert listing.unseen == ("giant.md",)
    assert listing.may_exist("giant.md")


async def test_names_that_are_no_plain_text_are_refused_and_shown_escaped(tmp_path: Path) -> None:
    for name in (b"bad\xff.md", b"line\nbreak.md", b"bell\x07.md", "turn\u202edm.md".encode()):
        (tmp_path / os.fsdecode(name)).touch()
    longest = "n" * 252 + ".md"
    write(tmp_path, longest)
    listing = await listing_of(FolderSource(tmp_path))
    assert paths(listing) == [longest]
    assert len(listing.problems) == 4
    for problem in listing.problems:
        assert problem.path.isprintable()
        problem.path.encode()


async def test_the_same_letters_composed_and_decomposed_are_two_files(tmp_path: Path) -> None:
    names = [unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD")]
    for name in names:
        write(tmp_path, name, text=name)
    async with FolderSource(tmp_path).open() as tree:
        assert sorted(paths(tree.listing)) == sorted(names)
        assert [await tree.read(name) for name in names] == [name.encode() for name in names]


@pytest.mark.spec("002 US2")
async def test_what_cannot_be_opened_is_unseen_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "dark/a.md", "dark/deep/b.md", "light/good.md", "light/locked.md")
    # Not by chmod: the superuser, as whom tests may run, can open everything.
    really_open = os.open

    def refusing(path: str | Path, flags: int, *, dir_fd: int | None = None) -> int:
        if path in {"dark", "locked.md"}:
            raise PermissionError(13, "Permission denied", str(tmp_path))
        return really_open(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    listing = await listing_of(FolderSource(tmp_path))
    assert paths(listing) == ["light/good.md"]
    assert listing.unseen == ("dark/", "light/locked.md")
    assert listing.may_exist("dark/deep/b.md")
    for message in problems(listing).values():
        assert "Permission denied" in message
        assert str(tmp_path) not in message


async def test_a_root_that_cannot_be_seen_is_never_an_empty_book(tmp_path: Path) -> None:
    write(tmp_path, "file.txt")
    for root in (tmp_path / "missing", tmp_path / "missing.md", tmp_path / "file.txt"):
        with pytest.raises(SourceUnavailable) as caught:
            await listing_of(FolderSource(root))
        assert root.name in caught.value.message
        assert str(tmp_path) not in caught.value.message


async def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path, "book/a.md")
    (tmp_path / "current").symlink_to("book")
    assert paths(await listing_of(FolderSource(tmp_path / "current"))) == ["a.md"]


async def test_an_open_tree_stays_the_same_when_its_name_points_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, "one/a.md", text="one")
    write(tmp_path, "two/a.md", text="two")
    current = tmp_path / "current"
    current.symlink_to("one")
    async with FolderSource(current).open() as tree:
        current.unlink()
        current.symlink_to("two")
        assert await tree.read("a.md") == b"one"


async def test_too_many_files_are_refused_with_the_number(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number}.md" for number in range(4)))
    with pytest.raises(SourceUnavailable, match="more than 3 files"):
        await listing_of(FolderSource(tmp_path, max_files=3))
    assert len((await listing_of(FolderSource(tmp_path, max_files=4))).files) == 4


async def test_folders_that_lie_too_deep_are_unseen(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 33)
    write(tmp_path, f"{deep}/a.md", f"{deep[2:]}/b.md")
    listing = await listing_of(FolderSource(tmp_path))
    assert paths(listing) == [f"{deep[2:]}/b.md"]
    assert listing.may_exist(f"{deep}/a.md")


async def test_a_file_that_changes_after_the_listing_is_not_read_half(tmp_path: Path) -> None:
    write(tmp_path, "grown.md", "gone.md", "linked.md", "pipe.md", "shrunk.md", text="12345678")
    async with FolderSource(tmp_path, max_bytes=10).open() as tree:
        (tmp_path / "grown.md").write_text("x" * 11)
        (tmp_path / "shrunk.md").write_text("x")
        for name in ("gone.md", "linked.md", "pipe.md"):
            (tmp_path / name).unlink()
        (tmp_path / "linked.md").symlink_to("/etc/passwd")
        os.mkfifo(tmp_path / "pipe.md")
        assert await tree.read("shrunk.md") == b"x"
        async with asyncio.timeout(10):
            for path in ("grown.md", "gone.md", "linked.md", "pipe.md"):
                with pytest.raises(BookUnreadable) as caught:
                    await tree.read(path)
                assert str(tmp_path) not in caught.value.message


async def test_a_folder_that_becomes_a_link_after_the_listing_is_not_followed(
    tmp_path: Path,
) -> None:
    write(tmp_path, "book/part/a.md", "secret/a.md")
    async with FolderSource(tmp_path / "book").open() as tree:
        (tmp_path / "book/part").rename(tmp_path / "book/old")
        (tmp_path / "book/part").symlink_to(tmp_path / "secret")
        with pytest.raises(BookUnreadable):
            await tree.read("part/a.md")


async def test_a_closed_tree_reads_nothing_and_leaves_no_file_open(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    before = open_files()
    async with FolderSource(tmp_path).open() as tree:
        pass
    with pytest.raises(BookUnreadable, match="closed"):
        await tree.read("a.md")
    assert open_files() <= before
