"""The context block of contract 003: retrieved chunks, drawn in front of the system prompt."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OPENING = "=== Retrieved Context ==="
CLOSING = "=== End Context ==="

# Of a text as it is read: what a reader could take for the block's own marks.
_MARK = re.compile(r"(?<!=)={2,}+(?:end|retrieved)context=*|\[source:")
_HARMLESS = {"=": "-", "[": "("}
# What is not seen, or not looked at: spaces, signs, accents, and letters that are blank.
_UNREAD = re.compile(r"[^\w=\[:]+|[\u115f\u1160]+")


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a document, under the document's title."""

    title: str
    text: str


def with_context(extracts: Sequence[Extract], system: str = "") -> str:
    """The system prompt below the block. What documents say can neither end it nor add to it."""
    drawn = "\n\n".join(f"[Source: {_title(one)}]\n{_text(one)}" for one in extracts)
    block = "\n".join([OPENING, *([drawn] if drawn else []), CLOSING])
    return f"{block}\n\n{system}" if system else block


def _title(extract: Extract) -> str:
    return _harmless(" ".join(extract.title.split()))


def _text(extract: Extract) -> str:
    """The text with one kind of line end, and no blank lines around it."""
    return _harmless("\n".join(extract.text.splitlines()).lstrip("\n").rstrip())


def _harmless(text: str) -> str:
    if _MARK.search(_read(text)) is None:
        return text
    read = list(_read_one_by_one(text))
    characters = list(text)
    for found in _MARK.finditer("".join(character for character, _ in read)):
        for character, place in read[found.start() : found.end()]:
            characters[place] = _HARMLESS.get(character, characters[place])
    return "".join(characters)


def _read_one_by_one(text: str) -> Iterator[tuple[str, int]]:
    """The text as it is read, each character with its place in the text as it is written."""
    read = {written: _read(written) for written in set(text)}
    for place, written in enumerate(text):
        for character in read[written]:
            yield character, place


def _read(text: str) -> str:
    """What is left of a text when look-alikes are the same and spaces do not count."""
    return _UNREAD.sub("", unicodedata.normalize("NFKD", text).casefold())
