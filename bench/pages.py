"""Markdown to ingest: a large documentation, or similar pages generated from the sample book.

With SOURCEBOOK_BENCH_DATA the pages are those of the Kubernetes documentation, if it is there;
otherwise sentences are shuffled into pages with headings. Both are the same in every run, in an
order that mixes long pages with short ones.
"""

import os
import random
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.texts import DATA_VARIABLE, book_sentences

ARCHIVE = Path("markdown") / "kubernetes_en_docs.tar.xz"
# As many as the documentation has, and sections as unevenly spread as there: mostly a few, some
# a hundred.
MADE_PAGES = 1_672
MEAN_LOG_SECTIONS, SPREAD = 1.5, 1.0
MAX_SECTIONS = 150
SENTENCES = (4, 14)


@dataclass(frozen=True, slots=True)
class Page:
    """A file of a book."""

    path: str
    text: str


def read_pages() -> list[Page]:
    """Return all pages in a fixed random order."""
    choose = random.Random(1)  # noqa: S311 - not for secrets
    archive = _archive()
    pages = list(_made(choose) if archive is None else _unpacked(archive))
    choose.shuffle(pages)
    return pages


def origin_of_pages() -> str:
    archive = _archive()
    return "sentences of the sample book, shuffled" if archive is None else archive.name


def write_pages(pages: Sequence[Page], folder: Path) -> Path:
    """Write pages into a folder and return it."""
    for page in pages:
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, "utf-8")
    return folder


def _archive() -> Path | None:
    folder = os.environ.get(DATA_VARIABLE)
    archive = Path(folder) / ARCHIVE if folder else None
    return archive if archive is not None and archive.exists() else None


def _unpacked(archive: Path) -> Iterator[Page]:
    with tarfile.open(archive) as files:
        for entry in files:
            content = files.extractfile(entry) if entry.name.endswith(".md") else None
            if content is not None:
                yield Page(entry.name, content.read().decode())


def _made(choose: random.Random) -> Iterator[Page]:
    sentences = book_sentences()
    for number in range(MADE_PAGES):
        sections = min(MAX_SECTIONS, 1 + int(choose.lognormvariate(MEAN_LOG_SECTIONS, SPREAD)))
        body = "".join(_section(sentences, choose, place) for place in range(sections))
        text = f"---\ntitle: Page {number}\n---\n\n{body}"
        yield Page(f"part-{number % 20}/page-{number}.md", text)


def _section(sentences: list[str], choose: random.Random, place: int) -> str:
    title = " ".join(choose.choice(sentences).split()[:5])
    text = " ".join(choose.choices(sentences, k=choose.randint(*SENTENCES)))
    return f"## {place + 1}. {title}\n\n{text}\n\n"
