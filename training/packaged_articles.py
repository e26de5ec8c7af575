"""Makes passages of encyclopaedia articles: `python -m training.packaged_articles OUT`.

They stand in the tests of the package gensim, which it downloads. People ask about them as they ask
a search engine, and a passage of the right article mostly does not answer.
"""

import argparse
import bz2
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from zipfile import ZipFile

from training.prepared import PASSAGES_FILE, Line, save_lines
from training.question_rules import sentences_of, with_sentences
from training.sources import ENCYCLOPAEDIA, Passage

PACKAGE = "gensim"
ARTICLES = (
    "gensim/test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
)
FIRST_ID = 4_000_000
DOWNLOAD_TIMEOUT_S = 300
# A passage is cut after a paragraph when it has so many words, and before it would have so many.
ENOUGH_WORDS, MOST_WORDS = 120, 190
MIN_WORDS, MIN_PARAGRAPH_WORDS, MIN_SENTENCES = 45, 7, 2
_PAGE = re.compile(r"<page>.*?</page>", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>")
_TEXT = re.compile(r"<text[^>]*>(.*)</text>", re.DOTALL)
_HEADING = re.compile(r"^(={2,5})\s*(.*?)\s*=+\s*$", re.MULTILINE)
_NO_CONTENT = re.compile(
    r"See also|References|External|Further reading|Notes|Bibliograph|Footnotes|Gallery|Sources"
    r"|Citations|Filmography|Works"
)
_CUT = re.compile(
    r"<!--.*?-->|<ref[^>/]*/>|<ref.*?</ref>"
    r"|<(math|gallery|timeline|source|imagemap|div|table)\b.*?</\1>",
    re.DOTALL,
)
_MEASURE = re.compile(r"\{\{(?:convert|cvt)\|([\d.,]+)\|([^|{}]+)[^{}]*\}\}")
_SAID = re.compile(r"\{\{(?:lang|nowrap|nobr)\|(?:[a-z-]{2,6}\|)?([^|{}]+)\}\}")
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\|).)*?\|\}", re.DOTALL)
_PICTURE = re.compile(
    r"\[\[(?:File|Image):(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]|\[\[Category:[^\]]*\]\]"
)
_LINK = re.compile(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]|\[https?:\S+ ?([^\]]*)\]")
_MARKS = re.compile(r"'{2,}|<[^>]+>|__\w+__|\(\s*[;,]?\s*\)")
_ITEM = re.compile(r"^[*#:;]+\s*")


def make_passages(out: Path, wheel: Path) -> None:
    """Write the passages of the articles."""
    with ZipFile(wheel) as archive:
        pages = bz2.decompress(archive.read(ARTICLES)).decode("utf-8")
    lines: list[Line] = []
    for page in _PAGE.findall(pages):
        lines += passages_of(page, FIRST_ID + len(lines))
    out.mkdir(parents=True, exist_ok=True)
    save_lines(out / PASSAGES_FILE, lines)
    print(f"{len(lines)} passages of {len({line['document'] for line in lines})} articles")


def passages_of(page: str, first: int = FIRST_ID) -> list[Line]:
    """The passages of an article, numbered from `first`; none of one that only leads to others."""
    title, text = _TITLE.search(page), _TEXT.search(page)
    if not title or not text or "<redirect" in page or "(disambiguation)" in title[1]:
        return []
    lines: list[Line] = []
    for heading, body in _sections(title[1], plain(text[1])):
        for passage in _cut(body):
            made = Passage(
                first + len(lines), ENCYCLOPAEDIA, title[1], len(lines), heading, passage
            )
            sentences = sentences_of(made)
            if len(sentences) >= MIN_SENTENCES:
                lines.append(with_sentences(made, sentences))
    return lines


def plain(text: str) -> str:
    """The words of an article without the marks of its language; headings keep theirs."""
    text = _CUT.sub("", unescape(text))
    text = _without_nested(_TABLE, _without_nested(_TEMPLATE, text))
    text = _LINK.sub(lambda found: found[1] or found[2] or "", _PICTURE.sub("", text))
    text = re.sub(r"[ \t]+", " ", _MARKS.sub("", text))
    return re.sub(r" ([,.;])", r"\1", text)


def _without_nested(mark: re.Pattern[str], text: str) -> str:
    """The text without what is marked, from the innermost on; measures and foreign words stay."""
    left = None
    while left != text:
        left, text = text, mark.sub("", _SAID.sub(r"\1", _MEASURE.sub(r"\1 \2", text)))
    return text


def _sections(title: str, text: str) -> Iterator[tuple[str, str]]:
    """The sections with content, each with the path of its headings."""
    before, *parts = _HEADING.split(text)
    yield title, before
    path = [title]
    for marks, heading, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        path = [*path[: len(marks) - 1], heading]
        if not any(map(_NO_CONTENT.search, path[1:])):
            yield " > ".join(path), body


def _cut(body: str) -> Iterator[str]:
    """Paragraphs that stand together, as many as make a passage."""
    some: list[str] = []
    for line in body.split("\n"):
        paragraph = _ITEM.sub("- ", line.strip())
        if paragraph.startswith(("|", "!", "{", "}")) or _count(paragraph) < MIN_PARAGRAPH_WORDS:
            continue
        if some and _count(*some, paragraph) > MOST_WORDS:
            yield from _passage(some)
            some = []
        some.append(paragraph)
        if _count(*some) >= ENOUGH_WORDS:
            yield from _passage(some)
            some = []
    yield from _passage(some)


def _passage(paragraphs: list[str]) -> Iterator[str]:
    if _count(*paragraphs) >= MIN_WORDS:
        yield "\n\n".join(paragraphs)


def _count(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)


def downloaded(folder: Path) -> Path:
    """The package's file, which is downloaded if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.glob(f"{PACKAGE}-*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE]
        subprocess.run(command, cwd=folder, check=True, timeout=DOWNLOAD_TIMEOUT_S)  # noqa: S603
    return next(folder.glob(f"{PACKAGE}-*.whl"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="where to write the passages")
    parser.add_argument("--package", type=Path, default=Path("package"), help="where its file is")
    arguments = parser.parse_args()
    make_passages(arguments.out, downloaded(arguments.package))
