"""Bare repositories made by hand, so that they can hold what no git program would commit."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

FILE, LINK, SUBMODULE, FOLDER = 0o100644, 0o120000, 0o160000, 0o040000

# A name leads to a text, to a folder, or to a mode with the bytes or id that stand behind it.
Entries: TypeAlias = "Mapping[str | bytes, str | Entries | tuple[int, bytes]]"


class BareRepository:
    """A repository that other people push to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repo = Repo.init_bare(str(path), mkdir=True)
        self._repo.refs.set_symbolic_ref(Ref(b"HEAD"), Ref(b"refs/heads/main"))
        self._repo.close()

    def push(self, entries: Entries, branch: str = "main", *, keep_history: bool = True) -> str:
        """Commit the entries as the whole tree of the branch; the commit's id."""
        ref = Ref(b"refs/heads/" + branch.encode())
        with Repo(str(self.path)) as repo:
            objects: list[ShaFile] = []
            commit = Commit()
            commit.tree = _add_tree(entries, objects)
            commit.parents = [repo.refs[ref]] if keep_history and ref in repo.refs else []
            commit.author = commit.committer = b"A <a@example.org>"
            commit.author_time = commit.commit_time = 0
            commit.author_timezone = commit.commit_timezone = 0
            commit.message = b"m"
            for thing in [*objects, commit]:
                repo.object_store.add_object(thing)
            repo.refs[ref] = commit.id
            return commit.id.decode()

    def reset(self, commit: str, branch: str = "main") -> None:
        """Move the branch back, as a forced push does."""
        with Repo(str(self.path)) as repo:
            repo.refs[Ref(b"refs/heads/" + branch.encode())] = ObjectID(commit.encode())


def _add_tree(entries: Entries, objects: list[ShaFile]) -> ObjectID:
    tree = Tree()
    for name, entry in entries.items():
        mode, sha = _add_entry(entry, objects)
        tree.add(name.encode() if isinstance(name, str) else name, mode, sha)
    objects.append(tree)
    return tree.id


def _add_entry(
    entry: "str | Entries | tuple[int, bytes]", objects: list[ShaFile]
) -> tuple[int, ObjectID]:
    if isinstance(entry, Mapping):
        return FOLDER, _add_tree(entry, objects)
    mode, content = (FILE, entry.encode()) if isinstance(entry, str) else entry
    if mode == SUBMODULE:
        return mode, ObjectID(content)
    blob = Blob.from_string(content)
    objects.append(blob)
    return mode, blob.id
