"""Which texts a database takes: neither NUL characters nor halves of surrogate pairs."""

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import check_text


def is_storable(text: str) -> bool:
    """Tell whether a row could hold the text at all, so that it is worth asking for."""
    try:
        check_text(text, "text")
    except InvalidInput:
        return False
    return True


def as_storable(text: str) -> str:
    """The text with what cannot be stored written as an escape: file names can hold anything."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
