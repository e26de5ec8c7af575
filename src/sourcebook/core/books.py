"""What is kept with a book beside its documents: which of its files are lessons, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptLayout:
    """Which files of a book are lessons, kept with the book in the collection of that name.

    `automatic` if nobody chose the patterns: they were found by looking at the files. `source` is
    the folder or the repository that the files came from, as it is shown to administrators.
    """

    collection: str
    book_id: str
    patterns: tuple[str, ...]
    exclude: tuple[str, ...]
    automatic: bool
    source: str
    chosen_at_s: float
