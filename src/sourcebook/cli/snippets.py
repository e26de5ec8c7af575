"""Cuts the part out of a chunk that is most about the question."""

import re

from sourcebook.text.markup import MaskedText, mask_markup

SNIPPET_LINES = 3

_WORD = re.compile(r"\w+")
# They say nothing about the subject of a question.
_FUNCTION_WORDS = frozenset(
    _WORD.findall("""
        a about after all also am an and any are as at be because been before being but by can could
        did do does doing done each else ever every few for from get gets got had has have having he
        her here him his how i if in into is it its just may me might more most much must my no nor
        not now of off on once one only or other our out over own s same shall she should so some
        such t than that the their them then there these they this those through to too under until
        up us use very was we were what when where which while who whom why will with without would
        you your
    """)
)
_ENDING = re.compile(r"(?:ies|es|s|ing|ed)$")
_MIN_STEM = 3
_NO_PROSE = re.compile(r"^(?:#{1,6} |```|~~~|:::).*$", re.MULTILINE)


def content_pattern(question: str) -> re.Pattern[str] | None:
    """Return a pattern that finds the question's content words in any form; None if it has none."""
    words = {word for word in _WORD.findall(question.lower()) if word not in _FUNCTION_WORDS}
    stems = sorted({_stem(word) for word in words}, key=lambda stem: (-len(stem), stem))
    if not stems:
        return None
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, stems))})\w*", re.IGNORECASE)


def snippet(text: str, pattern: re.Pattern[str] | None, length: int) -> str:
    """Return about `length` characters of the text, from where the pattern matches most."""
    seen = _NO_PROSE.sub("", mask_markup(text).seen)
    body = MaskedText(seen, seen).plain(0, len(seen)) or " ".join(text.split())
    if len(body) <= length:
        return body
    found = [] if pattern is None else [match.span() for match in pattern.finditer(body)]
    start = _word_start(body, _densest(body, found, length))
    cut = body[start : start + length]
    if start + length < len(body):
        cut = cut.rpartition(" ")[0] or cut
    return ("… " if start else "") + cut + (" …" if start + len(cut) < len(body) else "")


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    return stem if len(stem) >= _MIN_STEM else word


def _densest(body: str, found: list[tuple[int, int]], length: int) -> int:
    """Return the start of the first window with the most different words."""
    best, best_start = 0, 0
    for index, (start, _) in enumerate(found):
        inside = {body[a:b].lower() for a, b in found[index:] if b <= start + length}
        if len(inside) > best:
            best, best_start = len(inside), start
    # A little of what comes before, so that a sentence does not begin at its keyword.
    return max(0, min(best_start - length // 4, len(body) - length))


def _word_start(body: str, start: int) -> int:
    return 0 if start == 0 else body.rfind(" ", 0, start + 1) + 1
