"""Sourcebook answers questions from your documents and shows where each answer comes from."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.core.errors import SourcebookError
    from sourcebook.library import (
        AnswerSource,
        Book,
        BookAnswer,
        BookChanges,
        BookChunk,
        ExplainedChunk,
        Ingested,
        IngestionFailed,
        Lesson,
        SearchExplanation,
        open,
    )
    from sourcebook.sync_library import SyncBook, open_sync

    __version__: str

__all__ = [
    "AnswerSource",
    "Book",
    "BookAnswer",
    "BookChanges",
    "BookChunk",
    "ExplainedChunk",
    "Ingested",
    "IngestionFailed",
    "Lesson",
    "SearchExplanation",
    "SourcebookError",
    "SyncBook",
    "__version__",
    "open",
    "open_sync",
]


def __getattr__(name: str) -> object:
    """Load what is asked for when it is asked for: `import sourcebook` alone costs nothing."""
    if name == "__version__":
        from sourcebook.core.version import installed_version  # noqa: PLC0415

        return installed_version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in {"SyncBook", "open_sync"}:
        from sourcebook import sync_library  # noqa: PLC0415

        return getattr(sync_library, name)
    from sourcebook import library  # noqa: PLC0415

    return getattr(library, name)


def __dir__() -> list[str]:
    return sorted(__all__)
