"""Makes documents with pandoc, LibreOffice and Chromium, where they are installed."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.documents.source import SourceDocument
from bench.documents.writers import OUR_WRITERS, write_markdown

TIMEOUT_S = 600
PANDOC, LIBREOFFICE, CHROMIUM = "pandoc", "soffice", "chromium"
# By the ends of the names: how LibreOffice calls them.
_SAVED_AS = {"pdf": "pdf:writer_pdf_Export", "docx": "docx:MS Word 2007 XML", "odt": "odt:writer8"}

Make = Callable[[Sequence[SourceDocument], str, Path], list[bytes]]


def is_installed(program: str) -> bool:
    """Return whether a program is there."""
    return shutil.which(program) is not None


def _by_pandoc(documents: Sequence[SourceDocument], ending: str, folder: Path) -> list[bytes]:
    made = []
    for document in documents:
        source, target = (folder / f"{document.name}.{each}" for each in ("md", ending))
        source.write_bytes(write_markdown(document))
        title = f"title={document.name}"
        options = ("-s", "-f", "commonmark+gfm_auto_identifiers", "-M", title)
        _run(PANDOC, *options, source, "-o", target)
        made.append(target.read_bytes())
    return made


def _by_libreoffice(documents: Sequence[SourceDocument], ending: str, folder: Path) -> list[bytes]:
    """Return what LibreOffice saves of web pages, with a profile of its own."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    sources = [_page(document, pages) for document in documents]
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    options = ("--headless", "--infilter=HTML (StarWriter)", "--convert-to", _SAVED_AS[ending])
    _run(LIBREOFFICE, profile, *options, "--outdir", folder, *sources)
    return [(folder / f"{document.name}.{ending}").read_bytes() for document in documents]


def _by_chromium(documents: Sequence[SourceDocument], ending: str, folder: Path) -> list[bytes]:
    return [print_page(_page(each, folder), folder / f"{each.name}.{ending}") for each in documents]


def print_page(page: Path, target: Path) -> bytes:
    """Return the PDF that Chromium prints of a web page."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    _run(CHROMIUM, *options, f"--print-to-pdf={target}", page.as_uri())
    return target.read_bytes()


def _page(document: SourceDocument, folder: Path) -> Path:
    page = folder / f"{document.name}.html"
    page.write_bytes(OUR_WRITERS["html"](document))
    return page


# The formats that each program makes here.
PROGRAMS: Mapping[str, tuple[Make, tuple[str, ...]]] = {
    PANDOC: (_by_pandoc, ("docx", "odt", "epub", "html", "rst", "ipynb")),
    LIBREOFFICE: (_by_libreoffice, tuple(_SAVED_AS)),
    CHROMIUM: (_by_chromium, ("pdf",)),
}


def _run(*command: str | Path) -> None:
    subprocess.run(  # noqa: S603 - programs of this module
        list(map(str, command)), check=True, capture_output=True, timeout=TIMEOUT_S
    )
