"""Lists and reads the files of one commit, straight from a repository's objects. Blocking.

There is no working tree: nothing is ever written under a name that the repository chose.
"""

import stat
import threading
from collections.abc import Iterator

from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, Commit, ObjectID, Tree

from sourcebook.core.book_source import Listing
from sourcebook.core.errors import SourceUnavailable
from sourcebook.providers.sources.git.mirror import translated_damage
from sourcebook.providers.sources.listing import Limits, ListingBuilder

_SUBMODULE = 0o160000
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class CommitFiles:
    """The files below a folder of a commit; MirrorDamaged if an object is missing or broken."""

    def __init__(self, store: DiskObjectStore, commit: ObjectID, folder: tuple[str, ...]) -> None:
        self._store = store
        self._commit = commit
        self._folder = folder
        self._blobs: dict[str, ObjectID] = {}
        # Each blob is unpacked once, under however many names it stands.
        self._sizes: dict[ObjectID, tuple[int, bool]] = {}
        # Dulwich's caches are not thread-safe.
        self._lock = threading.Lock()

    def listing(self, limits: Limits, source: str) -> Listing:
        """List the folder; `source` is what it is called."""
        builder = ListingBuilder(limits)
        with self._lock, translated_damage():
            self._walk(self._root(), "", builder)
        listing = builder.build(source, self._commit.decode())
        self._blobs = {file.path: self._blobs[file.path] for file in listing.files}
        return listing

    def read(self, path: str) -> bytes:
        """Return the bytes of a listed file; KeyError if it was not listed."""
        blob = self._blobs[path]
        with self._lock, translated_damage():
            return self._content(blob)

    def close(self) -> None:
        """Close the object store."""
        with self._lock:
            self._store.close()

    def _root(self) -> Tree:
        commit = self._store[self._commit]
        if not isinstance(commit, Commit):
            raise SourceUnavailable(
                "The repository's branch points to something else than a commit"
            )
        tree = self._tree(commit.tree)
        for name in self._folder:
            entry = dict(_entries(tree)).get(name)
            if entry is None or not stat.S_ISDIR(entry[0]):
                raise SourceUnavailable(
                    f"There is no folder {'/'.join(self._folder)!r} in the repository at commit"
                    f" {self._commit.decode()[:10]}"
                )
            tree = self._tree(entry[1])
        return tree

    def _walk(self, tree: Tree, folder: str, builder: ListingBuilder) -> None:
        for name, (mode, sha) in _entries(tree):
            if builder.accepts(folder, name):
                self._visit(folder + name, mode, sha, builder)

    def _visit(self, path: str, mode: int, sha: ObjectID, builder: ListingBuilder) -> None:
        if stat.S_ISDIR(mode):
            if builder.may_enter(path + "/"):
                self._walk(self._tree(sha), path + "/", builder)
        elif stat.S_ISLNK(mode):
            builder.leave_link(path)
        elif mode == _SUBMODULE:
            builder.leave_out(path, "it is a submodule, and those are not fetched")
        elif not stat.S_ISREG(mode):
            builder.leave_out(path, "it is no regular file")
        elif builder.wants(path):
            self._add(path, sha, builder)
        else:
            builder.pass_over(path)

    def _add(self, path: str, sha: ObjectID, builder: ListingBuilder) -> None:
        size, is_pointer = self._size(sha)
        if is_pointer:
            builder.leave_unseen(path, "it is kept in Git LFS, which is not fetched")
        elif path in self._blobs:
            builder.leave_out(path, "another file has the same name")
        else:
            self._blobs[path] = sha
            builder.add(path, size)

    def _tree(self, sha: ObjectID) -> Tree:
        tree = self._store[sha]
        if not isinstance(tree, Tree):
            raise ValueError("not a tree")
        return tree

    def _size(self, sha: ObjectID) -> tuple[int, bool]:
        """The size of a blob, and whether it only points to Git LFS."""
        if sha not in self._sizes:
            content = self._content(sha)
            self._sizes[sha] = len(content), content.startswith(_LFS_POINTER)
        return self._sizes[sha]

    def _content(self, sha: ObjectID) -> bytes:
        kind, content = self._store.get_raw(sha)
        if kind != Blob.type_num:
            raise ValueError("not a blob")
        return content


def _entries(tree: Tree) -> Iterator[tuple[str, tuple[int, ObjectID]]]:
    for name, mode, sha in tree.iteritems():
        yield name.decode("utf-8", "surrogateescape"), (mode, sha)
