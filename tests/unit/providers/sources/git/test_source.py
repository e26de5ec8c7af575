import asyncio
import os
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sourcebook.core.book_source import Listing
from sourcebook.core.errors import BookUnreadable, ConfigurationError, SourceUnavailable
from sourcebook.providers.sources.git import mirror as mirror_module
from sourcebook.providers.sources.git.source import GitSource
from tests.unit.providers.sources.git.repositories import (
    FILE,
    LINK,
    SUBMODULE,
    BareRepository,
    Entries,
)

LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"


@pytest.fixture
def repository(tmp_path: Path) -> BareRepository:
    return BareRepository(tmp_path / "book.git")


@pytest.fixture
def source(repository: BareRepository, tmp_path: Path) -> GitSource:
    return GitSource(str(repository.path), None, "", tmp_path / "cache")


async def listing_of(source: GitSource) -> Listing:
    async with source.open() as tree:
        return tree.listing


async def contents(source: GitSource) -> dict[str, bytes]:
    async with source.open() as tree:
        return {file.path: await tree.read(file.path) for file in tree.listing.files}


def join_fetches() -> None:
    for thread in threading.enumerate():
        if thread.name == "may-hang":
            thread.join(5)
            assert not thread.is_alive()


def ends_within(patience_s: float, pid: int) -> bool:
    deadline = time.monotonic() + patience_s
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not Path(f"/proc/{pid}").exists()


def mirror_files(tmp_path: Path, pattern: str) -> list[Path]:
    return [path for path in (tmp_path / "cache").rglob(pattern) if path.is_file()]


async def test_the_markdown_of_the_branchs_commit_is_listed_and_read(
    repository: BareRepository, source: GitSource
) -> None:
    commit = repository.push({"b": {"2.md": "two", "x.png": "no"}, "a.mdx": "one", ".c.md": "no"})
    async with source.open() as tree:
        assert [(file.path, file.size) for file in tree.listing.files] == [
            ("a.mdx", 3), ("b/2.md", 3)
        ]  # fmt: skip
        assert tree.listing.commit == commit
        assert tree.listing.problems == ()
        assert tree.listing.other_files == {".png": 1}
        assert tree.listing.source.endswith("book.git")
        assert await tree.read("b/2.md") == b"two"
        with pytest.raises(BookUnreadable):
            await tree.read(".c.md")


@pytest.mark.spec("002 US2")
async def test_every_push_is_seen_by_the_next_listing(
    repository: BareRepository, source: GitSource
) -> None:
    first = repository.push({"a.md": "1", "b.md": "b"})
    assert await contents(source) == {"a.md": b"1", "b.md": b"b"}
    repository.push({"a.md": "2", "c.md": "c"})
    repository.push({"a.md": "3", "c.md": "c"})
    assert await contents(source) == {"a.md": b"3", "c.md": b"c"}
    assert await contents(source) == {"a.md": b"3", "c.md": b"c"}
    repository.reset(first)
    assert (await listing_of(source)).commit == first
    repository.push({"z.md": "new"}, keep_history=False)
    assert await contents(source) == {"z.md": b"new"}


async def test_a_push_does_not_disturb_whoever_reads(
    repository: BareRepository, source: GitSource
) -> None:
    repository.push({"a.md": "old"})
    async with source.open() as tree:
        repository.push({"a.md": "new"}, keep_history=False)
        assert await contents(source) == {"a.md": b"new"}
        assert await tree.read("a.md") == b"old"


async def test_links_submodules_and_strange_names_are_problems(
    repository: BareRepository, source: GitSource, tmp_path: Path
) -> None:
    repository.push(
        {
            "good.md": "x",
            "passwd.md": (LINK, b"/etc/passwd"),
            "lib": (SUBMODULE, b"1" * 40),
            "up": {"..": {"evil.md": "x"}, ".git": {"hook.md": "x"}},
            b"bad\xff.md": "x",
            b"a\nb.md": "x",
            "odd.md": (0o010644, b"x"),
        }
    )
    listing = await listing_of(source)
    assert [file.path for file in listing.files] == ["good.md"]
    assert {problem.path for problem in listing.problems} == {
        "passwd.md", "lib", "bad\\udcff.md", "a\\nb.md", "odd.md"
    }  # fmt: skip
    assert not mirror_files(tmp_path, "*.md")


async def test_large_files_and_lfs_pointers_leave_the_old_version(
    repository: BareRepository, tmp_path: Path
) -> None:
    repository.push({"large.md": "x" * 11, "lfs.md": LFS_POINTER, "a.md": "x" * 10})
    source = GitSource(str(repository.path), None, "", tmp_path / "cache", max_bytes=10)
    async with source.open() as tree:
        assert [file.path for file in tree.listing.files] == ["a.md"]
        assert tree.listing.unseen == ("large.md", "lfs.md")
        assert len(tree.listing.problems) == 2
        with pytest.raises(BookUnreadable):
            await tree.read("large.md")


async def test_a_tree_that_names_itself_again_and_again_ends(
    repository: BareRepository, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb: Entries = {"a.txt": "x"}
    for _ in range(7):
        bomb = {"left": bomb, "right": bomb}
    repository.push(bomb)
    monkeypatch.setattr("sourcebook.providers.sources.listing.MAX_ENTRIES", 200)
    with pytest.raises(SourceUnavailable, match="more than 200 files and folders"):
        await listing_of(source)


async def test_a_subfolder_is_the_books_root(repository: BareRepository, tmp_path: Path) -> None:
    repository.push({"docs": {"en": {"a.md": "x"}}, "b.md": "x", "link": (LINK, b"docs")})

    def source(subfolder: str) -> GitSource:
        return GitSource(str(repository.path), None, subfolder, tmp_path / "cache")

    assert await contents(source("docs/en")) == {"a.md": b"x"}
    assert await contents(source("/docs/")) == {"en/a.md": b"x"}
    for missing in ("nowhere", "docs/fr", "b.md", "link"):
        with pytest.raises(SourceUnavailable, match="no folder"):
            await listing_of(source(missing))
    with pytest.raises(ConfigurationError, match="outside"):
        source("docs/../..")


async def test_a_branch_is_read_when_it_is_named(
    repository: BareRepository, tmp_path: Path
) -> None:
    repository.push({"a.md": "main"})
    repository.push({"a.md": "draft"}, "draft/one")

    def source(branch: str | None) -> GitSource:
        return GitSource(f"file://{repository.path}", branch, "", tmp_path / "cache")

    assert await contents(source("draft/one")) == {"a.md": b"draft"}
    assert await contents(source(None)) == await contents(source("")) == {"a.md": b"main"}
    with pytest.raises(SourceUnavailable, match="no branch 'draft'"):
        await listing_of(source("draft"))


async def test_a_repository_that_is_empty_or_none_is_unavailable(
    source: GitSource, tmp_path: Path
) -> None:
    with pytest.raises(SourceUnavailable, match="no commits"):
        await listing_of(source)
    (tmp_path / "plain").mkdir()
    for name in ("plain", "missing"):
        with pytest.raises(SourceUnavailable) as caught:
            await listing_of(GitSource(str(tmp_path / name), None, "", tmp_path / "cache"))
        assert str(tmp_path) not in caught.value.message


async def test_an_old_tree_is_never_passed_off_as_the_current_one(
    repository: BareRepository, source: GitSource, tmp_path: Path
) -> None:
    repository.push({"a.md": "x"})
    await listing_of(source)
    repository.path.rename(tmp_path / "moved.git")
    with pytest.raises(SourceUnavailable):
        await listing_of(source)


def _truncated(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:40])


def _scrambled(path: Path) -> None:
    path.chmod(0o600)
    content = path.read_bytes()
    path.write_bytes(content[:12] + bytes(byte ^ 0x55 for byte in content[12:]))


@pytest.mark.parametrize(
    ("pattern", "harm"),
    [
        ("*.pack", _truncated),
        ("*.pack", _scrambled),
        ("*.pack", Path.unlink),
        ("*.idx", _truncated),
        ("*.idx", _scrambled),
        ("*.idx", Path.unlink),
        ("commit", Path.unlink),
        ("commit", lambda path: path.write_bytes(b"f" * 40)),
        ("commit", lambda path: path.write_bytes(b"half")),
    ],
)
async def test_a_mirror_that_a_crash_left_damaged_is_fetched_anew(
    repository: BareRepository,
    source: GitSource,
    tmp_path: Path,
    pattern: str,
    harm: Callable[[Path], object],
) -> None:
    repository.push({"a.md": "x" * 500})
    await listing_of(source)
    for path in mirror_files(tmp_path, pattern):
        harm(path)
    assert await contents(source) == {"a.md": b"x" * 500}
    repository.push({"a.md": "y"})
    assert await contents(source) == {"a.md": b"y"}


async def test_a_file_in_place_of_the_mirror_is_reported_not_raised_raw(
    repository: BareRepository, tmp_path: Path
) -> None:
    repository.push({"a.md": "x"})
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(SourceUnavailable, match="data folder"):
        await listing_of(GitSource(str(repository.path), None, "", tmp_path / "cache"))


async def test_packs_and_leftovers_do_not_pile_up(
    repository: BareRepository,
    source: GitSource,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mirror_module, "MAX_PACKS", 3)
    for number in range(8):
        repository.push({"a.md": str(number)})
        assert await contents(source) == {"a.md": str(number).encode()}
        (mirror,) = (tmp_path / "cache").iterdir()
        (mirror / ".passing-old").mkdir(exist_ok=True)
        (mirror / "objects" / "tmp_pack_old").touch()
    await listing_of(source)
    assert len(mirror_files(tmp_path, "*.pack")) <= 3
    assert sorted(path.name for path in mirror.iterdir()) == ["commit", "objects"]
    assert not list(mirror.rglob("tmp_pack_*"))


async def test_a_pack_that_cannot_be_unpacked_safely_is_refused(
    repository: BareRepository, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.push({"a.md": "x", "giant.bin": (FILE, bytes(3000))})
    monkeypatch.setattr(
        "sourcebook.providers.sources.git.pack.check_pack.__defaults__", (2000, 2000)
    )
    with pytest.raises(SourceUnavailable, match="an object of 3000 bytes"):
        await listing_of(source)


async def test_a_server_that_hangs_is_left_behind_when_the_time_is_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        url = f"http://me:hunter2@127.0.0.1:{port}/book.git"
        source = GitSource(url, "main", "", tmp_path / "cache", timeout_s=0.2)
        async with asyncio.timeout(5):
            with pytest.raises(SourceUnavailable, match=r"within 0\.2 seconds") as caught:
                await listing_of(source)
    assert "hunter2" not in caught.value.message
    join_fetches()


async def test_ssh_is_asked_without_prompts_and_ended_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$$ $@" > {tmp_path}/called\nexec sleep 60\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    source = GitSource("git@host.example:a/b.git", None, "", tmp_path / "cache", timeout_s=1)
    with pytest.raises(SourceUnavailable, match="within 1 seconds"):
        await listing_of(source)
    pid, *arguments = (tmp_path / "called").read_text().split()
    assert {"BatchMode=yes", "git@host.example", "'a/b.git'"} <= set(arguments)
    assert ends_within(5, int(pid))
    join_fetches()
