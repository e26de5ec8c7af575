"""Spells the figures of any language as English does: digits, decimal points, units and months."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

from sourcebook.text.languages import UNSPACED
from sourcebook.text.word_files import words_of

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
# Full-width and Arabic signs for the same marks.
_SIGNS = str.maketrans("，、；：。．！？（）％،؛؟۔٪٫٬", ",,;:..!?()%,;?.%.,")
_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.])")
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_DAY = re.compile(rf"(?<=\d)\.?(?: de)? (?={'|'.join(_MONTHS)})")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_DATE = re.compile(r"(?<!\d)(\d{4})年(\d{1,2})月(\d{1,2})日")
_NUMERALS = "零〇一二两兩三四五六七八九十百千万萬亿億"
_LARGE = 10_000


def in_english(text: str, language: str = "en") -> str:
    """A text with its figures as English writes them; its words stay as they are."""
    text = _DIGITS.sub(lambda found: _ascii(found[0]), text.translate(_SIGNS))
    words = words_of(language)
    if words.get("decimal") == "comma":
        text = _GROUPED.sub(lambda found: found[0].replace(".", ""), text)
        text = _DECIMAL.sub(".", text)
    if language in UNSPACED:
        text = _DATE.sub(lambda one: f" {one[1]}-{int(one[2]):02}-{int(one[3]):02} ", text)
        text = _numerals(language).sub(lambda found: str(_value(found[0])), text)
    names = _names(language)
    if names:
        text = _named(language).sub(lambda found: _spelt(found, names, language), text)
    text = _DAY.sub(" ", text)
    # Each sign is a word of its own where no blanks part words.
    return _UNSPACED.sub(r" \g<0> ", text)


def _ascii(digits: str) -> str:
    return digits if digits.isascii() else "".join(str(unicodedata.digit(one)) for one in digits)


@cache
def _names(language: str) -> Mapping[str, str]:
    """The English name of each number, month and unit of a language, by its name there."""
    return dict(_pairs(words_of(language)))


def _pairs(words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for number, word in enumerate(words.get("numbers", "").split()):
        yield word, str(number)
    yield from zip(words.get("months", "").split(), _MONTHS, strict=False)
    yield from ((word, name) for name, written in _units(words) for word in written)


@cache
def _named(language: str) -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, _names(language)), key=lambda word: -len(word)))
    # In Chinese and Japanese, `分` is a minute only after a number.
    alone = rf"(?<=\d)\s*(?:{words})"
    return re.compile(alone if language in UNSPACED else rf"(?<!\w)(?:{words})(?!\w)")


def _spelt(found: re.Match[str], names: Mapping[str, str], language: str) -> str:
    return f" {names[found[0].strip()]} " if language in UNSPACED else names[found[0]]


@cache
def _numerals(language: str) -> re.Pattern[str]:
    """Numbers in words, where they count something: `三个`, `第三`, but not `一般`."""
    words = words_of(language)
    units = (word for _, written in _units(words) for word in written)
    counted = "|".join([*units, *words.get("counters", "").split()])
    return re.compile(rf"(?<=第)[{_NUMERALS}]+|[{_NUMERALS}]+(?=\s*(?:{counted}))")


def _units(words: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    for unit in words.get("units", "").split():
        name, _, written = unit.partition("=")
        yield name, written.split(",")


def _value(numerals: str) -> int:
    """`三百二十` as 320, `二万` as 20,000."""
    whole = part = digit = 0
    for sign in numerals:
        value = 2 if sign == "两" else int(unicodedata.numeric(sign))
        if value >= _LARGE:
            whole, part, digit = whole + (part + digit or 1) * value, 0, 0
        elif value >= 10:
            part, digit = part + (digit or 1) * value, 0
        else:
            digit = 10 * digit + value
    return whole + part + digit
