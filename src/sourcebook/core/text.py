"""Text checks and clean-up: what can be stored, and what is shown in messages."""

import re
import unicodedata

from sourcebook.core.errors import InvalidInput

# What databases cannot keep, or terminals would obey; line breaks and tabs are text.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def shorten(text: str, most: int) -> str:
    """Cut a long text and add an ellipsis."""
    return text if len(text) <= most else text[:most] + "…"


def check_text(text: str, where: str) -> None:
    """Refuse text that databases cannot store: NUL characters and lone surrogates."""
    if "\x00" in text:
        raise InvalidInput(f"The {where} holds a NUL character, which is not text; remove it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(
            f"The {where} holds half of a surrogate pair, which is not valid text; remove it"
        ) from None


def is_blank(text: str) -> bool:
    """Return whether a text has only spaces, control and zero-width characters."""
    return all(unicodedata.category(character)[0] in "ZC" for character in text)


def strip_control_characters(text: str) -> str:
    """Remove control characters, which the raw bytes of a PDF are full of."""
    return _CONTROLS.sub("", text)
