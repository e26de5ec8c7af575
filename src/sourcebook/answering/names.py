"""The names in a text: of people, products and places, and those that code gives to things."""

import re

from sourcebook.answering.words import read_words

_CODE = re.compile(r"`+([^`]+)`+")
_TOKEN = re.compile(r"[~/]?[^\W_][\w]*(?:[./:@][^\W_]\w*|::\w+)*")
# An underscore or a dot inside, a path, `camelCase`, or letters with digits.
_MADE_BY_CODE = re.compile(r"_|^[/~]|[.:@]|[a-z][A-Z]|[^\W\d_]\d")
_OPENING = re.compile(r"(?:^|[.!?:;]\s+|\n)[\s\"'“‘(\[*_>#•+-]*(?:\d+[.)]\s+)?[\"'“‘(\[*_]*$")

LOOK_BACK = 40


def names(text: str) -> tuple[tuple[str, ...], ...]:
    """Each name as its words: `ROS_DOMAIN_ID` as `ros domain id`.

    A capital letter at the beginning of a sentence makes no name.
    """
    found: dict[tuple[str, ...], None] = {}
    for code in _CODE.finditer(text):
        for token in _TOKEN.finditer(code[1]):
            found[_parts(token[0])] = None
    for token in _TOKEN.finditer(text):
        if _is_name(text, token):
            found[_parts(token[0])] = None
    return tuple(parts for parts in found if parts)


def _is_name(text: str, token: re.Match[str]) -> bool:
    written = token[0]
    if _MADE_BY_CODE.search(written):
        return True
    if not written[0].isupper() or written == "I":
        return False
    if len(written) > 1 and written.isupper():
        return True
    # So few signs stand before a sentence; a longer row of them would be read again and again.
    return _OPENING.search(text, max(0, token.start() - LOOK_BACK), token.start()) is None


def _parts(written: str) -> tuple[str, ...]:
    words = read_words(written)
    # `e.g.` and the `The` of a title are no names.
    if not any(word.kind == "content" and len(word.text) > 1 for word in words):
        return ()
    return tuple(word.stem for word in words)
