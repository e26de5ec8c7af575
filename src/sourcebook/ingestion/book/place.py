"""Where a file stands in its book."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PageKind: TypeAlias = Literal["lesson", "chapter", "module", "page"]


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a file in its book; a number that its path does not give is 0.

    `root` is the folder of the book that its website serves as `/docs`: empty for all of it.
    """

    module: str | None
    chapter: int
    lesson: int
    kind: PageKind
    root: str = ""
