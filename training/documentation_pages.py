"""Cuts a page of documentation into passages: paragraphs, lists, tables and code by headings."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from selectolax.lexbor import LexborHTMLParser

from sourcebook.providers.converters.html import convert_source

MIN_LETTERS, MAX_LETTERS = 250, 1_500
MAX_CODE_LINES = 15
MIN_WORDS = 40
# English prose has a third of such words; lists of names and other languages have fewer.
MIN_COMMON_SHARE = 0.2
MIN_LETTER_SHARE = 0.75
MAX_FOREIGN_SHARE = 0.03
MIN_LINE_WORDS = 7
MAX_TERM_WORDS = 8
_COMMON = (
    "a all also an and any are as at be been but by can do does each for from has have if in into"
    " is it its may more must no not of on one only or other should so such than that the their"
    " then there these they this to use used using was when where which will with you your"
)
_NOISE = (
    "img, math, a.headerlink, a.indexterm, .navheader, .navfooter, .navigation, .toc, .contents,"
    " .TOC, .sphinxsidebar, .related, .linenos, .linenodiv, .copyright, .legalnotice, .footnotes,"
    " .header, .footer, .nav-panel, #toc, #TOC, .table-of-contents, .indextable, .authorgroup,"
    " .revhistory, .releaseinfo, .bibliography, .citation, .lineno, .breadcrumbs, .topic.contents,"
    " dl.py, dl.c, dl.cpp, dl.js, .synopsis, .refsynopsisdiv, .footnote, .footnote-group"
)
_DEFINITION = re.compile(r"<(/?)d[ltd](?=[\s>])", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6}) +(.+)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_BULLET = re.compile(r"^\s*(?:[-*+•] +)+")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]) ")
_QUOTE = re.compile(r"^(?:\s*> ?)+")
_NUMBER = re.compile(
    r"^(?:(?:chapter|part|section|appendix) +[\dIVXA-Z]+(?:\.\d+)*[.:]?|(?:\d+|[A-Z])\.(?:\d+\.?)*"
    r"|\d+(?:\.\d+)*)[\s—–:-]+(?=\S)",
    re.IGNORECASE,
)
_TITLE_END = re.compile(r"\s+(?:[—|·»]|--?|::)\s+.*$")
_SITE = re.compile(r"^OpenStack Docs: |#? TOC$")
# Captions of what is not there, links to other pages, and when a page was made.
_APART = re.compile(
    r"\**(?:figure|fig\.) \d.*|(?:(?:next|prev(?:ious)?|up|top|home|contents|index)\W*)+"
    r"|\W*(?:this page )?last (?:modified|updated).*",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
# Signs that only a browser shows, or nothing does.
_ODD = re.compile("[¶\u200b\ufeff\ue000-\uf8ff]|<br ?/?>")
_RULE = re.compile(r"[-=*_\s|:]+$")
_NO_CONTENT = re.compile(
    r"\b(?:licen[cs]es?|copyright|legal notice|credits?|authors?|acknowledge?ments|thanks"
    r"|bibliography|references|(?:\w+ )?index|(?:table of )?contents|see also|synopsis"
    r"|change ?logs?|changes|release notes|what['’]?s new|history|search|reporting bugs|modules)"
    r"(?: >|$)",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"all rights reserved|public licen[cs]e|without (?:any )?warranty|permission is (?:hereby )?"
    r"granted|copyright (?:\(c\)|©|\d)|©|creative commons|\bprev(?:ious)? (?:up|next)\b"
    r"|table of contents|lorem ipsum|click to toggle|generated (?:by|on|from)"
    r"|\.( \.){4}|\.{6}|\ufffd",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between two headings, below the path of headings that leads to it."""

    heading: str
    blocks: tuple[str, ...]


def passages_of(source: str) -> list[tuple[str, str]]:
    """The headings and the texts of the passages of an HTML page, in order."""
    return [
        (section.heading, text)
        for section in sections_of(source)
        if section.heading and not _NO_CONTENT.search(section.heading)
        for text in pieces_of(section.blocks)
        if is_fit(text)
    ]


def sections_of(source: str) -> list[Section]:
    """The sections of an HTML page."""
    page = LexborHTMLParser(source)
    for noise in page.css(_NOISE):
        noise.decompose()
    page.unwrap_tags(["a", "span"])
    # A term and what it means are joined here, as a label is with what is said of it.
    document = convert_source(_DEFINITION.sub(r"<\1div", page.html or ""))
    title = _TITLE_END.sub("", document.title or "")
    return list(_sections(list(_blocks(document.text)), title))


def _sections(blocks: Sequence[str], title: str) -> Iterator[Section]:
    levels = [len(found[1]) for one in blocks if (found := _HEADING.match(one))]
    # A page whose first heading is above all others is named by it.
    is_named = bool(levels) and levels.count(min(levels)) == 1 and levels[0] == min(levels)
    path = [] if is_named else [(0, title)]
    collected: list[str] = []
    for block in (*blocks, "# end"):
        found = _HEADING.match(block)
        if found is None:
            collected.append(block)
            continue
        if collected:
            yield Section(_path_of([name for _, name in path]), tuple(_joined_terms(collected)))
            collected = []
        level = len(found[1])
        path = [*((above, name) for above, name in path if above < level), (level, found[2])]


def _path_of(names: Sequence[str]) -> str:
    """The names without numbers and marks, each once."""
    unnumbered = (_NUMBER.sub("", _plain(name).replace("**", "")) for name in names)
    plain = (_SITE.sub("", name).strip(" #:") for name in unnumbered)
    return " > ".join(name for name in dict.fromkeys(plain) if name)


def _blocks(markdown: str) -> Iterator[str]:
    """Headings, paragraphs, items, tables and code, each without what is around it."""
    lines: list[str] = []
    fence = ""
    for line in (*markdown.splitlines(), ""):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and line.strip() == fence:
                yield from _code(lines)
                lines, fence = [], ""
        elif mark or not line.strip() or _HEADING.match(line) or _ITEM.match(line):
            yield from _prose(lines)
            lines = []
            if mark:
                lines, fence = [line], mark[1]
            elif _HEADING.match(line):
                yield line
            elif line.strip():
                lines = [line]
        else:
            lines.append(line)


def _code(lines: Sequence[str]) -> Iterator[str]:
    """A block of code that is short enough to be read with the text around it."""
    inside = [line.rstrip() for line in lines[1:-1]]
    shared = min((len(line) - len(line.lstrip()) for line in inside if line), default=0)
    code = "\n".join(line[shared:] for line in inside).strip("\n")
    if code.strip() and code.count("\n") < MAX_CODE_LINES:
        yield f"{lines[0].strip()}\n{code}\n```"


def _prose(lines: Sequence[str]) -> Iterator[str]:
    if not lines or _RULE.match("".join(lines)):
        return
    if lines[0].lstrip().startswith("|"):
        yield from _table([_plain(line) for line in lines])
        return
    text = _plain(_BULLET.sub("- ", " ".join(_QUOTE.sub("", line) for line in lines), count=1))
    if any(letter.isalnum() for letter in text) and not _APART.fullmatch(text):
        yield text


def _table(rows: Sequence[str]) -> Iterator[str]:
    """A table with names for its columns; others only arrange what stands in them."""
    narrow = [re.sub(r"-{3,}", "---", row) for row in rows]
    if len(narrow) > 3 and any(letter.isalnum() for letter in narrow[0]):
        yield "\n".join(narrow)


def _plain(text: str) -> str:
    """The text in one line, without links, anchors and odd spaces."""
    unlinked = _LINK.sub(r"\1", _ODD.sub(" ", text).replace("\\_", "_").replace("\\-", "-"))
    return " ".join(unescape(unlinked).split())


def _joined_terms(blocks: Sequence[str]) -> Iterator[str]:
    """The blocks; a term or a label stands in the line of what is said of it."""
    term = ""
    for block in (*blocks, ""):
        is_plain = bool(block) and not block.startswith(("|", "```")) and not _ITEM.match(block)
        is_term = is_plain and _is_term(block)
        if term and is_plain and not is_term:
            yield f"{term.rstrip(':')}: {block}"
        else:
            yield from (one for one in (term, "" if is_term else block) if one)
        term = block if is_term else ""


def _is_term(block: str) -> bool:
    return len(block.split()) <= MAX_TERM_WORDS and not block.endswith((".", "!", "?", ";", ","))


def pieces_of(blocks: Sequence[str]) -> Iterator[str]:
    """Texts of about the same length, none too long; a block that leads on is not the last."""
    kept = [one for one in blocks if len(one) <= MAX_LETTERS]
    letters = sum(len(one) + 1 for one in kept)
    wanted = letters / max(1, math.ceil(letters / MAX_LETTERS))
    text = ""
    for block in kept:
        if text and len(text) + len(block) >= MAX_LETTERS:
            yield text
            text = ""
        text = f"{text}\n{block}" if text else block
        if len(text) >= wanted and not block.endswith(":"):
            yield text
            text = ""
    if text:
        yield text


def is_fit(text: str) -> bool:
    """Whether a text is long enough, in English, and mostly made of sentences."""
    if not MIN_LETTERS <= len(text) <= MAX_LETTERS or _BOILERPLATE.search(text):
        return False
    prose = re.sub(r"^```.*?^```$|^\|.*$", "", text, flags=re.DOTALL | re.MULTILINE)
    words = re.findall(r"[^\W_]+", prose.lower())
    common = frozenset(_COMMON.split())
    lines = [line for line in prose.splitlines() if line.strip()]
    letters = "".join(prose.split())
    foreign = sum(letter.isalpha() and letter > "\u024f" for letter in text)
    return (
        foreign <= MAX_FOREIGN_SHARE * len(text)
        and len(words) >= max(MIN_WORDS, MIN_LINE_WORDS * len(lines))
        and sum(word in common for word in words) >= MIN_COMMON_SHARE * len(words)
        and sum(letter.isalpha() for letter in letters) >= MIN_LETTER_SHARE * len(letters)
    )
