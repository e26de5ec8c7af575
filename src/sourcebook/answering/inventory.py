"""What documents there are: whether somebody asks for that, and how it is told."""

import re
from collections.abc import Sequence

HEADING = "Available Ingested Documents"
NONE_YET = "No documents have been ingested yet."
MOST_LISTED = 50

_LONGEST = 120
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


def asks_for_documents(text: str) -> bool:
    """Tell whether this asks what documents there are, and not what is in them."""
    if len(text) > _LONGEST:
        return False
    said = " ".join(_PUNCTUATION.sub(" ", text.lower()).split())
    return _ASKING.fullmatch(said.replace("what's", "what is")) is not None


def listed(titles: Sequence[str], total: int) -> str:
    """The titles, one in a line, and how many more there are."""
    if not total:
        return NONE_YET
    lines = [f"- {' '.join(title.split())}" for title in titles[:MOST_LISTED]]
    more = total - len(lines)
    return "\n".join([*lines, f"… and {more} more"] if more > 0 else lines)
