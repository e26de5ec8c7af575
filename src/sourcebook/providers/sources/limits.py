"""What a source lists at most, and which files it looks for."""

from dataclasses import dataclass

MIB = 1024 * 1024
MARKDOWN = (".md", ".mdx")
MAX_BYTES = 2 * MIB
MAX_FILES = 50_000
MAX_DEPTH = 32
# Files of every kind, and folders: a tree that names itself again and again has no end.
MAX_ENTRIES = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Which files are wanted, how large one may be, and how many there may be."""

    extensions: tuple[str, ...] = MARKDOWN
    max_bytes: int = MAX_BYTES
    max_files: int = MAX_FILES

    def wants(self, name: str) -> bool:
        """Tell by its name whether a file belongs to the book."""
        return name.lower().endswith(self.extensions)
