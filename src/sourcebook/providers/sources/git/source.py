"""Reads a book from a git repository: the tree of one commit.

A push while the book is read changes nothing: the fetched commit is read to its end. When the
repository cannot be reached, the book is not read at all, rather than an old version of it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dulwich.objects import ObjectID

from sourcebook.core.book_source import MARKDOWN, At, BookTree, Listing, report_nothing
from sourcebook.core.errors import BookUnreadable, ConfigurationError, SourceUnavailable
from sourcebook.core.ports import FileConversion
from sourcebook.providers.sources.git.mirror import GitMirror, MirrorDamaged
from sourcebook.providers.sources.git.pack import PackRefused
from sourcebook.providers.sources.git.remote import GitRemote
from sourcebook.providers.sources.git.tree import CommitFiles
from sourcebook.providers.sources.git.url import parse_git_url
from sourcebook.providers.sources.listing import MAX_BYTES, MAX_FILES, Limits

log = logging.getLogger(__name__)

FETCH_TIMEOUT_S = 60.0


class GitSource:
    """Implements `BookSource`: the files below a folder of a branch (default: HEAD)."""

    def __init__(
        self,
        url: str,
        branch: str | None,
        subfolder: str,
        cache_dir: Path,
        *,
        conversion: FileConversion | None = None,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
        timeout_s: float = FETCH_TIMEOUT_S,
    ) -> None:
        self._remote = GitRemote(parse_git_url(url), branch, timeout_s)
        self._folder = _folder_names(subfolder)
        self._shown = "/".join([self._remote.shown, *self._folder])
        self._mirror = GitMirror(cache_dir / self._remote.key)
        self._conversion = conversion
        self._limits = Limits(MARKDOWN, max_bytes, max_files)

    @asynccontextmanager
    async def open(self, at: At = report_nothing) -> AsyncIterator[BookTree]:
        """Fetch the branch's latest commit and list its files."""
        files, listing = await self._fetch_with_retry()
        try:
            yield _GitTree(files, listing)
        finally:
            await asyncio.to_thread(files.close)

    async def _fetch_with_retry(self) -> tuple[CommitFiles, Listing]:
        try:
            return await self._fetch()
        except MirrorDamaged as error:
            log.warning("git_mirror_damaged", exc_info=error)
        try:
            await asyncio.to_thread(self._mirror.discard)
            return await self._fetch()
        except MirrorDamaged as error:
            raise SourceUnavailable(
                f"The repository {self._remote.shown!r} was fetched but cannot be unpacked here:"
                " check the free space and the permissions of the data folder"
            ) from error

    async def _fetch(self) -> tuple[CommitFiles, Listing]:
        known = await asyncio.to_thread(self._mirror.commit)
        try:
            with self._mirror.incoming() as pack:
                commit = await self._remote.fetch(known, pack)
                if commit != known:
                    whole = known is None
                    await asyncio.to_thread(self._mirror.add, pack, commit, complete=whole)
        except PackRefused as error:
            raise SourceUnavailable(
                f"What the repository {self._remote.shown!r} sent cannot be unpacked: {error}"
            ) from error
        return await self._list(commit)

    async def _list(self, commit: ObjectID) -> tuple[CommitFiles, Listing]:
        files = CommitFiles(self._mirror.open(), commit, self._folder)
        try:
            limits = self._limits.with_converted(self._conversion)
            return files, await asyncio.to_thread(files.listing, limits, self._shown)
        except BaseException:
            # Not awaited: a cancelled caller need not wait until the walk has ended.
            asyncio.get_running_loop().run_in_executor(None, files.close)
            raise


class _GitTree:
    """The files of the commit that was fetched."""

    def __init__(self, files: CommitFiles, listing: Listing) -> None:
        self._files = files
        self._listing = listing

    @property
    def listing(self) -> Listing:
        return self._listing

    async def read(self, path: str) -> bytes:
        try:
            return await asyncio.to_thread(self._files.read, path)
        except KeyError:
            raise BookUnreadable(f"There is no file {path[:200]!r} in the book's listing") from None
        except MirrorDamaged as error:
            raise BookUnreadable(
                f"{path!r} cannot be read from the fetched repository; it is fetched anew next time"
            ) from error


def _folder_names(subfolder: str) -> tuple[str, ...]:
    names = tuple(name for name in subfolder.split("/") if name not in {"", "."})
    if ".." in names:
        raise ConfigurationError(
            f"The repository's subfolder {subfolder[:200]!r} leads outside of it;"
            " give a path like 'docs' or 'book/docs'"
        )
    return names
