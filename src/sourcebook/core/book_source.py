"""Where a book's files come from: the port, and the listing that it gives."""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

# Is told each file that a source looks at; it may raise to stop that.
At: TypeAlias = Callable[[str | None], None]

# Stands for a path where only the number of further problems is told.
OTHER_PATHS = "…"
# How the names of the files end that a book can be made of, in small letters.
MARKDOWN = (".md", ".mdx", ".markdown")
MAX_SHOWN_KINDS = 5
# Counts the files whose names have no plain ending, and the rest of very many kinds.
OTHER_KIND = "other"
_KIND = re.compile(r"\.[a-z0-9_+-]{1,12}")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a book; `path` is relative to the book's root and has `/` between its parts.

    `url` is the address of a page that comes from a website; the site says if it `is_markdown`.
    """

    path: str
    size: int
    url: str | None = None
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Why a path was left out. `message` never holds a path outside of the book."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a book at one moment, by path.

    `unseen` are paths (folders end in `/`) that exist but could not be looked at: what is indexed
    there must not count as deleted. `commit` is what a git source was at. `other_files` counts
    the files of other kinds, by the ends of their names. `source` is the folder, repository or
    website, as it is shown to administrators; with `single_file`, it is a file that somebody named.
    """

    files: tuple[SourceFile, ...]
    problems: tuple[FileProblem, ...] = ()
    unseen: tuple[str, ...] = ()
    commit: str | None = None
    other_files: Mapping[str, int] = field(default_factory=dict)
    source: str = ""
    single_file: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", tuple(sorted(self.files, key=lambda file: file.path)))
        object.__setattr__(self, "unseen", tuple(sorted(self.unseen)))

    def may_exist(self, path: str) -> bool:
        """Return whether the path is listed, or lies in a folder that could not be read."""
        at = bisect_left(self.files, path, key=lambda file: file.path)
        if at < len(self.files) and self.files[at].path == path:
            return True
        return any(_holds(self.unseen, place) for place in _places(path))


class BookTree(Protocol):
    """A book's files as they were when the source was opened."""

    @property
    def listing(self) -> Listing:
        """What there is."""
        ...

    async def read(self, path: str) -> bytes:
        """The bytes of a listed file; BookUnreadable if it cannot be read now."""
        ...


class BookSource(Protocol):
    """Where a book's files come from."""

    def open(self, at: At) -> AbstractAsyncContextManager[BookTree]:
        """Look at the files as they are now; SourceUnavailable if the root cannot be seen.

        A source that takes long for that tells where it is.
        """
        ...


def file_kind(name: str) -> str:
    """Return how a file's name ends, like `.pdf`; OTHER_KIND if that says nothing."""
    _, dot, extension = name.rpartition(".")
    kind = (dot + extension).lower()
    return kind if _KIND.fullmatch(kind) else OTHER_KIND


def report_nothing(_: str | None) -> None:
    """Take no notice of the files that a source looks at."""


def describe_kinds(files: Mapping[str, int]) -> str:
    """Say how many files there are of each kind, like `12 .pdf, 3 .html`; the most first."""
    named = ((kind, count) for kind, count in files.items() if kind != OTHER_KIND)
    ordered = sorted(named, key=lambda kind: (-kind[1], kind[0]))
    shown = [f"{count:,} {kind}" for kind, count in ordered[:MAX_SHOWN_KINDS]]
    rest = files.get(OTHER_KIND, 0) + sum(count for _, count in ordered[MAX_SHOWN_KINDS:])
    return ", ".join([*shown, f"{rest:,} of other kinds"] if rest else shown)


def _places(path: str) -> list[str]:
    """The path itself and every folder above it, as `unseen` writes them."""
    return [path, *(path[: at + 1] for at, character in enumerate(path) if character == "/")]


def _holds(ordered: Sequence[str], text: str) -> bool:
    at = bisect_left(ordered, text)
    return at < len(ordered) and ordered[at] == text
