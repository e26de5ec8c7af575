"""The headings of a lesson, as its chunks record them."""

from dataclasses import dataclass

from sourcebook.core.chunk_sections import sections_of
from sourcebook.core.documents import WholeDocument


@dataclass(frozen=True, slots=True)
class LessonHeadings:
    """The title of a lesson, if it has one, and its headings in reading order."""

    document_id: str
    title: str | None
    headings: tuple[str, ...]


def headings_of(whole: WholeDocument) -> LessonHeadings:
    """Return the headings of a lesson, each once."""
    title = whole.document.metadata.get("lesson_title")
    found: list[str] = []
    for chunk in whole.chunks:
        found += [section.title for section in sections_of(chunk.metadata)]
    headings = tuple(dict.fromkeys(heading for heading in found if heading))
    return LessonHeadings(whole.document.id, title if isinstance(title, str) else None, headings)
