"""Names the pages of a file that have no text, and reads them with Tesseract if that is wanted."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from sourcebook.core.documents import ConvertedDocument, Location
from sourcebook.core.errors import BookUnreadable

# So many pages of one file are recognized; each takes seconds.
MAX_RECOGNIZED_PAGES = 500
ADVICE = (
    "Recognize their text first, for example with ocrmypdf, or install tesseract and set"
    " SOURCEBOOK_OCR=tesseract"
)
_FUNCTION = "sourcebook.providers.converters.pdf:recognize"


@dataclass(frozen=True, slots=True)
class Language:
    """Languages of pages, as `deu+eng`, and the folder with what Tesseract knows of them."""

    code: str
    tessdata: str


# Recognizes a page of a file with the function of that name.
Recognize: TypeAlias = Callable[[str, bytes, int, Language], Awaitable[ConvertedDocument]]


def tessdata_folders() -> list[Path]:
    """Return where packages of Tesseract keep what it knows of languages."""
    share = Path("/usr/share")
    others = (share / "tessdata", Path("/usr/local/share/tessdata"))
    return [*sorted((share / "tesseract-ocr").glob("*/tessdata")), *others]


def find_language(code: str, folders: Sequence[Path]) -> Language | None:
    """Return the languages if there is a folder with data for all of them."""
    names = [f"{each}.traineddata" for each in code.split("+")]
    for folder in folders:
        if all((folder / name).is_file() for name in names):
            return Language(code, str(folder))
    return None


class PageRecognition:
    """Reads pages without text, one after another."""

    def __init__(self, recognize: Recognize, language: Language) -> None:
        self._recognize = recognize
        self._language = language

    async def complete(self, document: ConvertedDocument, content: bytes) -> ConvertedDocument:
        """Return the document with the text of the pages that could be read."""
        unread = list(document.unread_pages[MAX_RECOGNIZED_PAGES:])
        for page in document.unread_pages[:MAX_RECOGNIZED_PAGES]:
            try:
                found = await self._recognize(_FUNCTION, content, page, self._language)
            except BookUnreadable as error:
                unread.append(page)
                warning = f"OCR of page {page} failed: {error.message}"
                document = replace(document, warnings=(*document.warnings, warning))
                continue
            if found.text.strip():
                document = _with_page(document, found, page)
            else:
                unread.append(page)
        return replace(document, unread_pages=tuple(sorted(unread)))


def name_unread(document: ConvertedDocument) -> ConvertedDocument:
    """Return the document with a warning that names its pages without text; BookUnreadable."""
    pages = document.unread_pages
    if not pages:
        return document
    if not document.text.strip():
        reasons = "; ".join(document.warnings) or ADVICE
        raise BookUnreadable(f"It has no text: its pages are pictures. {reasons}")
    named, have = ("Page", "has") if len(pages) == 1 else ("Pages", "have")
    warning = f"{named} {', '.join(_ranges(pages))} {have} no text: what they show was not read"
    return replace(document, warnings=(*document.warnings, f"{warning}. {ADVICE}"))


def _ranges(pages: Sequence[int]) -> Iterator[str]:
    """Yield page numbers; those that follow each other as `4-7`."""
    for _, run in groupby(enumerate(pages), key=lambda one: one[1] - one[0]):
        first, *others = (page for _, page in run)
        yield f"{first}-{others[-1]}" if others else str(first)


def _with_page(
    document: ConvertedDocument, found: ConvertedDocument, page: int
) -> ConvertedDocument:
    """Insert the text of a page before that of the pages after it."""
    text = document.text
    later = [place for place in document.locations if (place.page or 0) > page]
    earlier = document.locations[: len(document.locations) - len(later)]
    at = later[0].start if later else len(text)
    before, after = text[:at].rstrip(), text[at:]
    before += "\n\n" if before else ""
    added = found.text.rstrip() + ("\n\n" if later else "\n")

    inside, behind = len(before), len(before + added) - at
    locations = (
        *earlier,
        *(_moved(place, inside) for place in found.locations),
        *(_moved(place, behind) for place in later),
    )
    return replace(document, text=before + added + after, locations=locations)


def _moved(place: Location, by: int) -> Location:
    return replace(place, start=place.start + by, end=place.end + by)
