"""Decides where a sentence ends, in English, German, French and Spanish.

The abbreviations of all four are known everywhere: hardly one of them is a word that ends a
sentence in another of these languages, and a short text does not tell its language.
"""

import re
from collections.abc import Iterator

# After these a full stop does not end a sentence.
_ABBREVIATION_TEXT = """
e.g i.e eg ie cf vs viz approx resp incl excl mr mrs ms dr prof st fig figs eq eqs sec sect ch vol
pp ed eds al inc ltd dept misc est
bzw z.b d.h u.a u.ä o.ä o.g s.o s.u i.d.r z.t z.zt ggf evtl inkl exkl zzgl bspw vgl sog abb tab bd
hrsg str dipl ing geb
p.ex c.-à-d env mme mlle éd chap réf
p.ej sr sra srta dra ud uds núm pág págs aprox gral ee.uu
"""
# After these not if a number follows.
_BEFORE_NUMBER_TEXT = "no nos p s v art version ver nr kap abs n cap rev tel ziff bl lib"
# And after these not if the text goes on in lower case.
_BEFORE_SMALL_TEXT = "etc usw ff max min ext opt ca dgl ss sig std ref temp tot nb"
# Abbreviations of two words.
_PAIR_TEXT = "z.b d.h u.a o.ä i.d d.r s.o s.u p.ex p.ej ee.uu i.e e.g n.chr v.chr z.t"
_MONTH_TEXT = """
januar jänner februar märz april mai juni juli august september oktober november dezember
"""
# Before an ordinal: "der 2. Versuch".
_ARTICLE_TEXT = "der die das dem den des zum zur vom im beim ein eine einem einen einer"
ABBREVIATIONS = frozenset(_ABBREVIATION_TEXT.split())
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBER_TEXT.split())
_BEFORE_SMALL = frozenset(_BEFORE_SMALL_TEXT.split())
_PAIRS = frozenset(tuple(pair.split(".")) for pair in _PAIR_TEXT.split())
_MONTHS = frozenset(_MONTH_TEXT.split())
_ARTICLES = frozenset(_ARTICLE_TEXT.split())

MAX_LOOK_BACK = 30
_STOP = re.compile(
    r"(?<![.!?…])(?P<stop>[.!?…]++)[\"'”’)\]*_`»]*+(?:\[\^[^\]\s]{1,40}\])*+\s++(?P<next>\S)"
    r"|[。！？]++"  # noqa: RUF001, RUF100
)
_NEXT_WORD = re.compile(r"[^\W_]+")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘*_`«¿¡]*\Z")
_SIGNS = ".([\"'“‘*_`«¿¡"
_LONGEST_IN_PAIR = 3
_LONGEST_DAY = 2
# `U.S`, `a.m`: letters with full stops between them.
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")


class CodeMarks:
    """Counts backticks on from place to place: from the beginning each time, it is quadratic."""

    def __init__(self, text: str, begin: int) -> None:
        self._text = text
        self._counted_to = begin
        self._count = 0

    def is_open_at(self, place: int) -> bool:
        """Return whether code in a line has begun and not ended; places must not go back."""
        self._count += self._text.count("`", self._counted_to, place)
        self._counted_to = place
        return self._count % 2 == 1


def sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences begin after the first, which begins at `start`."""
    begin, marks = start, CodeMarks(text, start)
    for found in _STOP.finditer(text, start, end):
        stop, at = found["stop"], found.end() - 1
        in_code = marks.is_open_at(found.start())
        if stop is None:
            begin = found.end()
        elif is_sentence_end(text, begin, found.start(), stop, at, in_code=in_code):
            begin = at
        else:
            continue
        marks = CodeMarks(text, begin)
        if begin < end:
            yield begin


def is_sentence_end(
    text: str, begin: int, at: int, stop: str, following: int, *, in_code: bool
) -> bool:
    """Return whether the stop at `at` ends the sentence that begins at `begin`.

    `following` is the place of the next character that is no white space. `in_code` if code in a
    line has begun before `at` and not ended.
    """
    # Code in a line may hold anything; a paragraph's end closes it in any case.
    small = text[following].islower()
    if in_code and (small or "`" not in text[at:following]):
        return False
    if stop not in {".", "۔"}:
        # Dots between words stand for what is left out: `ALTER TABLE ... ADD COLUMN`.
        if stop in {"...", "…"} and begin < at and text[at - 1].isspace():
            return False
        return not (small and stop in {"...", "…", "?", "!"})
    # Only a short word can be an abbreviation or a number in a list; looking further back would
    # take long in a text that has nothing else.
    before = text[max(begin, at - MAX_LOOK_BACK) : at]
    last = _LAST_WORD.search(before)
    written, earlier = (last[0], before[: last.start()]) if last else ("", before)
    if written.isdecimal():
        return not _is_numeral(written, earlier, text, following)
    return not _is_abbreviation(written, earlier, text, following)


def _is_abbreviation(written: str, earlier: str, text: str, following: int) -> bool:
    word, after = written.lower(), text[following]
    if (
        word in ABBREVIATIONS
        or (after.isdecimal() and word in BEFORE_NUMBERS)
        or (after.islower() and (word in _BEFORE_SMALL or _INITIALS.fullmatch(word)))
    ):
        return True
    if len(word) > _LONGEST_IN_PAIR:
        return False
    if len(written) == 1 and written.isupper() and written != "I":
        return True
    if (_last_word(earlier), word) in _PAIRS:
        return True
    return any((word, second) in _PAIRS for second in _next_words(text, following))


def _is_numeral(number: str, earlier: str, text: str, following: int) -> bool:
    """Whether the stop belongs to a number: the first thing of a list item, or a German ordinal."""
    if not earlier.strip(" \t\r\n*_>"):
        return True
    if len(number) > _LONGEST_DAY:
        return False
    if text[following].isupper() and _last_word(earlier) in _ARTICLES:
        return True
    return any(after in _MONTHS for after in _next_words(text, following))


def _last_word(earlier: str) -> str:
    words = earlier.split()
    return words[-1].strip(_SIGNS).lower() if words else ""


def _next_words(text: str, following: int) -> Iterator[str]:
    """The next word; at the end of a text that may still be arriving, also what it may become."""
    found = _NEXT_WORD.match(text, following, following + MAX_LOOK_BACK)
    if found is None:
        return
    word = found[0].lower()
    yield word
    if found.end() == len(text):
        seconds = (second for _, second in _PAIRS)
        yield from (whole for whole in (*seconds, *_MONTHS) if whole.startswith(word))
