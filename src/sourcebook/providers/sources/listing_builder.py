"""Builds a listing entry by entry, and holds it to the limits."""

from sourcebook.core.books import FileProblem, Listing, SourceFile, SourceUnavailable
from sourcebook.providers.sources.limits import MAX_DEPTH, MAX_ENTRIES, Limits
from sourcebook.providers.sources.names import is_passed_over, is_refused, shown


class ListingBuilder:
    """Gathers what a walk over a tree finds. A folder's path ends in `/`; the root's is empty."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._entries = 0
        self._files: list[SourceFile] = []
        self._problems: list[FileProblem] = []
        self._unseen: list[str] = []

    def accepts(self, folder: str, name: str) -> bool:
        """Tell whether an entry is worth a look; a name that cannot be used is a problem."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise SourceUnavailable(
                f"The book's folder holds more than {MAX_ENTRIES} files and folders;"
                " point to the folder of the lessons alone"
            )
        if is_passed_over(name):
            return False
        if is_refused(name):
            self.leave_out(folder + name, "its name is not printable text; rename it")
            return False
        return True

    def wants(self, name: str) -> bool:
        """Tell by its name whether a file belongs to the book."""
        return self._limits.wants(name)

    def may_enter(self, folder: str) -> bool:
        """Tell whether a folder is to be walked; one that lies too deep is left unseen."""
        if folder.count("/") <= MAX_DEPTH:
            return True
        self.leave_unseen(folder, f"it lies more than {MAX_DEPTH} folders deep")
        return False

    def add(self, path: str, size: int) -> None:
        """List a file, unless it is too large: then what is indexed of it stays."""
        if size > self._limits.max_bytes:
            most = self._limits.max_bytes
            self.leave_unseen(path, f"it has {size} bytes, and {most} is the most")
            return
        if len(self._files) >= self._limits.max_files:
            raise SourceUnavailable(
                f"The book has more than {self._limits.max_files} files;"
                " point to the folder of the lessons alone, or raise the limit"
            )
        self._files.append(SourceFile(path, size))

    def leave_out(self, path: str, message: str) -> None:
        """Say why something is not part of the book."""
        self._problems.append(FileProblem(shown(path), message))

    def leave_unseen(self, path: str, message: str) -> None:
        """Say why something that may be part of the book could not be looked at."""
        self.leave_out(path, message)
        self._unseen.append(path)

    def build(self, commit: str | None = None) -> Listing:
        """The listing of all that was found."""
        return Listing(tuple(self._files), tuple(self._problems), tuple(self._unseen), commit)
