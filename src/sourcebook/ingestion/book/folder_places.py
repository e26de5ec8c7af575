"""Finds the place of any file from the names of its folders and its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sourcebook.ingestion.book.place import PageKind, Place

# Folders at the root that hold a whole book, not a part of it.
_BOOK_FOLDERS = frozenset({"docs", "src", "content", "book", "website", "site", "en"})
_DOCS = "docs"
_FOLDER_PAGES = frozenset({"readme", "index", "_index"})
_MODULE_WORDS = frozenset({"module", "part", "unit"})
_CHAPTER_WORDS = frozenset({"chapter", "ch", "week", "day"})
_LESSON_WORDS = frozenset({"lesson", "lab"})
_WORDS = "|".join(sorted(_MODULE_WORDS | _CHAPTER_WORDS | _LESSON_WORDS, key=len, reverse=True))
# `03`, `3.`, `week-3`, `ch03`, `lesson_3`: at most three digits, so that no year is a number.
_NUMBER = re.compile(rf"(?i)(?:({_WORDS})[-_ ]?)?([0-9]{{1,3}})(?:[-_. ]+|\Z)")


def place_by_folders(path: str) -> Place:
    """Return the place of a file; what its names do not tell is None or 0.

    The module is the first folder that is called one (`module-1-ros2`), else the first folder. A
    chapter's number is in the name of a folder or of the file, a lesson's in that of the file.
    """
    *folders, file_name = path.split("/")
    skipped = _book_folders(folders)
    root = "/".join(folders[: _docs_depth(folders[:skipped])])
    parts = [_NumberedName.read(folder) for folder in folders[skipped:]]
    module = _module(parts)
    stem = file_name.rpartition(".")[0].lower()
    if stem in _FOLDER_PAGES:
        chapter, lesson = _chapter(parts, module), 0
    else:
        own_chapter, lesson = _numbers_of_file(stem)
        chapter = own_chapter or _chapter(parts, module)
    kind = _page_kind(module, chapter) if stem in _FOLDER_PAGES else "lesson"
    return Place(None if module is None else module.title, chapter, lesson, kind, root)


@dataclass(frozen=True, slots=True)
class _NumberedName:
    """A folder's name: the word and the number it begins with, and what it is called."""

    word: str
    number: int
    title: str

    @staticmethod
    def read(name: str) -> "_NumberedName":
        found = _NUMBER.match(name)
        if found is None:
            return _NumberedName("", 0, name)
        return _NumberedName((found[1] or "").lower(), int(found[2]), name[found.end() :] or name)


def _book_folders(folders: list[str]) -> int:
    """Return how many folders at the beginning hold the whole book."""
    return next(
        (at for at, folder in enumerate(folders) if folder.lower() not in _BOOK_FOLDERS),
        len(folders),
    )


def _docs_depth(folders: list[str]) -> int:
    """Return how many of these folders lead to the one that a website serves as its docs."""
    return next((at for at, folder in enumerate(folders, start=1) if folder == _DOCS), 0)


def _module(parts: list[_NumberedName]) -> _NumberedName | None:
    called = [part for part in parts if part.word in _MODULE_WORDS]
    others = [part for part in parts[:1] if part.word not in _CHAPTER_WORDS]
    return next(iter([*called, *others]), None)


def _chapter(parts: list[_NumberedName], module: _NumberedName | None) -> int:
    """Return the number of a folder that is called a chapter, else of any below the module's."""
    called = [part.number for part in parts if part.word in _CHAPTER_WORDS]
    plain = [part.number for part in parts if part.number and not part.word and part is not module]
    # `02-ownership/03-slices.md`: its folder is the module and the chapter.
    own = [module.number] if module is not None and not module.word else []
    return next(iter([*called, *plain, *own]), 0)


def _numbers_of_file(stem: str) -> tuple[int, int]:
    """Return the chapter and the lesson of `week-3-lesson-2-x`, `ch03-02-x`, `02-x`."""
    chapter = lesson = 0
    for word, number in _leading_numbers(stem):
        if word in _CHAPTER_WORDS:
            chapter = number
        elif word not in _MODULE_WORDS:
            return chapter, number
    return chapter, lesson


def _leading_numbers(stem: str) -> Iterator[tuple[str, int]]:
    at = 0
    while (found := _NUMBER.match(stem, at)) is not None:
        yield (found[1] or "").lower(), int(found[2])
        at = found.end()


def _page_kind(module: _NumberedName | None, chapter: int) -> PageKind:
    if chapter:
        return "chapter"
    return "page" if module is None else "module"
