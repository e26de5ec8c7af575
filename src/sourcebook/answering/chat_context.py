"""What chat replies are based on: retrieved chunks, and the list of documents if asked for."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OPENING = "=== Retrieved Context ==="
CLOSING = "=== End Context ==="
HEADING = "Available Ingested Documents"
NONE_YET = "No documents have been ingested yet."
MAX_LISTED = 50
# What a model could take for the block's own delimiters.
_MARK = re.compile(r"(?<!=)={2,}+(?:end|retrieved)context=*|\[source:")
_ESCAPED = {"=": "-", "[": "("}
# What is not seen, or not looked at: spaces, signs, accents, and letters that are blank.
_UNREAD = re.compile(r"[^\w=\[:]+|[\u115f\u1160]+")
_MAX_LENGTH = 120
_PUNCTUATION = re.compile(r"[^\w\s']+")
_THINGS = r"(?:documents?|documentation|docs|files)"
_STORED = r"(?:ingested|indexed|available|stored|uploaded|loaded|there)"
_PLACE = r"(?:the|your|this) (?:index|database|system|store|collection|knowledge base|library)"
_END = rf"(?: (?:access to|here|now|right now|{_STORED}|in {_PLACE}|please))*"
_ASKING = re.compile(
    # Which documents do you have?
    rf"(?:what|which)(?: \w+)? {_THINGS} (?:do|did|can|have) (?:you|we)(?: currently| already)?"
    rf" (?:have|know|know about|ingest|ingested|hold|see|search|use){_END}"
    # What files are ingested?
    rf"|(?:what|which)(?: \w+)? {_THINGS} (?:are|were|have been)(?: currently| already)?"
    rf" {_STORED}{_END}"
    # List the documents.
    r"|(?:please |(?:can|could|would) you )*(?:list|show|give|tell)(?: me| us)?"
    rf"(?: a list of| all| of| the| your| our| my| {_STORED})* {_THINGS}"
    rf"(?: that)?(?: (?:you|we) (?:have|know|know about|ingested)| (?:are|were|have been))?{_END}"
    # What do you have?
    rf"|what (?:do you have|have you ingested|has been ingested|is in {_PLACE}){_END}"
)


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a document, under the document's title."""

    title: str
    text: str


def with_context(extracts: Sequence[Extract], system: str = "") -> str:
    """Put the block before the system prompt; document text can neither end nor extend it."""
    drawn = "\n\n".join(f"[Source: {_title(one)}]\n{_text(one)}" for one in extracts)
    block = "\n".join([OPENING, *([drawn] if drawn else []), CLOSING])
    return f"{block}\n\n{system}" if system else block


def asks_for_documents(text: str) -> bool:
    """Return whether a message asks which documents there are, not what is in them."""
    if len(text) > _MAX_LENGTH:
        return False
    said = " ".join(_PUNCTUATION.sub(" ", text.lower()).split())
    return _ASKING.fullmatch(said.replace("what's", "what is")) is not None


def list_titles(titles: Sequence[str], total: int) -> str:
    """List the titles, one per line, and say how many more there are."""
    if not total:
        return NONE_YET
    lines = [f"- {' '.join(title.split())}" for title in titles[:MAX_LISTED]]
    more = total - len(lines)
    return "\n".join([*lines, f"… and {more} more"] if more > 0 else lines)


def _title(extract: Extract) -> str:
    return _escape_marks(" ".join(extract.title.split()))


def _text(extract: Extract) -> str:
    """The text with one kind of line end, and no blank lines around it."""
    return _escape_marks("\n".join(extract.text.splitlines()).lstrip("\n").rstrip())


def _escape_marks(text: str) -> str:
    if _MARK.search(_read(text)) is None:
        return text
    read = list(_read_one_by_one(text))
    characters = list(text)
    for found in _MARK.finditer("".join(character for character, _ in read)):
        for character, place in read[found.start() : found.end()]:
            characters[place] = _ESCAPED.get(character, characters[place])
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
