"""File names: which are passed over, which are refused, and how one is shown in a message."""

import re

_PASSED_OVER = frozenset({"node_modules"})
# Control characters, line separators, what turns the direction of writing, and the surrogates that
# stand for bytes that are no text.
_REFUSED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def is_passed_over(name: str) -> bool:
    """Tell whether a file or folder is none of the book's business, like `.git`."""
    return name.startswith(".") or name in _PASSED_OVER


def is_refused(name: str) -> bool:
    """Tell whether a name could deceive a reader, a log or a URL."""
    return not name or "/" in name or _REFUSED.search(name) is not None


def shown(path: str) -> str:
    """The path with everything escaped that is not to be printed."""
    return _REFUSED.sub(lambda found: ascii(found[0])[1:-1], path)
