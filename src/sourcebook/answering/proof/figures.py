"""Reads figures by value: numbers with their units and bounds, ranges, dates and times of day.

A figure's key is equal to another's if and only if both say the same: `at least 5`, `5 or more`
and `no fewer than five` are all `#>=5`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from sourcebook.answering.proof.lexemes import Lexeme
from sourcebook.answering.proof.units import CURRENCIES, Unit, power, ratio, unit_of

_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_MONTHS = """
january february march april may june july august september october november december
"""
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBERS = {word: number for number, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * number for number, word in enumerate(_TENS.split())
}
_MULTIPLES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_MONTH_NUMBERS = {word: number for number, word in enumerate(_MONTHS.split(), 1)}
_MONTH_NUMBERS |= {word[:3]: number for word, number in _MONTH_NUMBERS.items()} | {"sept": 9}
_PER = frozenset({"a", "an", "each", "every"})
_NO_NOUNS = frozenset(
    {"", "the", "a", "and", "or", "in", "at", "on", "to", "for", "when", "if", "is"}
)
_FRACTIONS = {
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "sixth": Fraction(1, 6),
    "eighth": Fraction(1, 8),
    "tenth": Fraction(1, 10),
    "hundredth": Fraction(1, 100),
    "thousandth": Fraction(1, 1_000),
}
_SPANS = frozenset({"time", "month"})
_BOUNDS_BEFORE = (
    ("under the age of", "<"),
    ("over the age of", ">"),
    ("no less than", ">="),
    ("no fewer than", ">="),
    ("not less than", ">="),
    ("not fewer than", ">="),
    ("at least", ">="),
    ("a minimum of", ">="),
    ("no more than", "<="),
    ("not more than", "<="),
    ("no longer than", "<="),
    ("at most", "<="),
    ("up to", "<="),
    ("a maximum of", "<="),
    ("more than", ">"),
    ("greater than", ">"),
    ("longer than", ">"),
    ("higher than", ">"),
    ("less than", "<"),
    ("fewer than", "<"),
    ("shorter than", "<"),
    ("lower than", "<"),
    ("approximately", "~"),
    ("roughly", "~"),
    ("circa", "~"),
    ("an estimated", "~"),
    ("some", "~"),
)
_BOUNDS_AFTER = (
    ("or more", ">="),
    ("and more", ">="),
    ("or above", ">="),
    ("or higher", ">="),
    ("or longer", ">="),
    ("or less", "<="),
    ("or fewer", "<="),
    ("or below", "<="),
    ("or lower", "<="),
)
_SIGNS = {"≥": ">=", "≤": "<=", ">": ">", "<": "<", "~": "~", "≈": "~"}
_DASHES = frozenset({"-", "–", "—"})
_BEGINNINGS = frozenset(
    {*_NUMBERS, *_MULTIPLES, *_MONTH_NUMBERS, "half", "a", "one", "between", "quarter", "fortnight"}
    | {phrase.split()[0] for phrase, _ in _BOUNDS_BEFORE}
    | {"an", "noon"}
)
# What may follow `an hour` or `three nodes or more`: it belongs to no noun after it.
_GOING_ON = frozenset({"from", "for", "in", "on", "at", "by", "with", "to", "and", "if", "when"})
_GOING_ON |= {"after", "before", "until", "is", "are", "was", "were", "has", "have", "had"}
_GOING_ON |= {"can", "may", "must", "should", "will", "do", "does", "every", "daily", "because"}
# `an hour` after these is one hour; after a price it is `per hour`.
_BEFORE_SPANS = frozenset({"within", "after", "for", "than", "least", "most"})
_TAKING = frozenset({"take", "takes", "took", "last", "lasts", "lasted"})
# Not `midnight`: of which day it is the beginning, it does not say.
_NAMED_TIMES = {"noon": "@12:00"}
_BEFORE_TIMES = frozenset({"at", "until", "till", "from", "to", "before", "after", "by", "since"})
_DAY_LENGTH, _YEAR_LENGTH = 2, 4
_NOON = 12


class Figure(NamedTuple):
    """A figure's key, and where the rest of the sentence begins."""

    key: str
    end: int


class _Value(NamedTuple):
    number: Fraction
    unit: Unit | None
    end: int


def read_figure(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    """The figure that begins at a place, with its bound before it or after it."""
    if lexemes[at].kind in {"mark", "code"} or not _may_begin(lexemes[at]):
        return None
    bound, start = _bound(lexemes, at, _BOUNDS_BEFORE)
    if not bound and lexemes[at].text in _SIGNS and lexemes[at].kind == "sign":
        bound, start = _SIGNS[lexemes[at].text], at + 1
    if start >= len(lexemes):
        return None
    special = _date(lexemes, at) or _time_of_day(lexemes, at) or _named_time(lexemes, at)
    if not bound and special:
        return special
    figure = _range(lexemes, start) or _single(lexemes, start)
    if figure is None:
        return None
    if not bound:
        bound, end = _bound(lexemes, figure.end, _BOUNDS_AFTER)
        figure = figure._replace(end=end)
        if bound and figure.key.isdecimal():
            # `two or more years`.
            value = _with_unit(lexemes, _Value(Fraction(figure.key), None, end))
            figure = Figure(_key(value.number, value.unit), value.end)
    return Figure(f"#{bound}{figure.key}", figure.end)


def _may_begin(lexeme: Lexeme) -> bool:
    return lexeme.kind != "word" or lexeme.text.lower() in _BEGINNINGS or lexeme.text in CURRENCIES


def ordinal(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    """`3rd` as the word `third`."""
    if lexemes[at].kind != "number" or _word(lexemes, at + 1) not in {"st", "nd", "rd", "th"}:
        return None
    number = lexemes[at].text
    words = _ORDINALS.split()
    known = number.isdecimal() and 0 < int(number) <= len(words)
    return Figure(words[int(number) - 1] if known else f"#{number}th", at + 2)


def _word(lexemes: Sequence[Lexeme], at: int) -> str:
    if at >= len(lexemes) or lexemes[at].kind != "word":
        return ""
    return lexemes[at].text.lower()


def _text(lexemes: Sequence[Lexeme], at: int) -> str:
    return lexemes[at].text if at < len(lexemes) else ""


def _bound(
    lexemes: Sequence[Lexeme], at: int, phrases: Sequence[tuple[str, str]]
) -> tuple[str, int]:
    first = _word(lexemes, at)
    for phrase, bound in phrases:
        if not first or not phrase.startswith(first):
            continue
        words = phrase.split()
        if all(_word(lexemes, at + place) == word for place, word in enumerate(words)):
            return bound, at + len(words)
    return "", at


def _single(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    value = (
        _span_and_part(lexemes, at)
        or _share(lexemes, at)
        or _value(lexemes, at)
        or _one_span(lexemes, at)
    )
    if value is None:
        return None
    written = _text(lexemes, at)
    if value.unit is None and lexemes[at].kind == "number" and _is_code(written):
        return Figure(written, value.end)
    return Figure(_key(value.number, value.unit), value.end)


def _is_code(number: str) -> bool:
    """`0112` and version `3.10` are no `112` and no `3.1`."""
    whole, _, decimals = number.partition(".")
    return (len(whole) > 1 and whole[0] == "0") or decimals.endswith("0")


def _key(number: Fraction, unit: Unit | None) -> str:
    return str(number) if unit is None else f"{number * unit.factor}{unit.dimension}"


def _range(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    between = _word(lexemes, at) == "between"
    low = _value(lexemes, at + between)
    if low is None:
        return None
    joined = _word(lexemes, low.end) == ("and" if between else "to")
    if not joined and (between or _text(lexemes, low.end) not in _DASHES):
        return None
    high = _value(lexemes, low.end + 1)
    if at and _word(lexemes, at - 1) == "at" and (high is None or high.unit is None):
        # `closes at five to seven`.
        return None
    if high is None or (low.unit is not None and low.unit != high.unit):
        return None
    return Figure(f"{_key(low.number, high.unit)}..{_key(high.number, high.unit)}", high.end)


def _share(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    """`half of`, `two thirds of`, `a quarter of`, `half a minute`, `a quarter of an hour`."""
    one = Unit("ratio", Fraction(1))
    first = _word(lexemes, at)
    if first == "half":
        return _half(lexemes, at)
    if first == "quarter":
        return _part_of_unit(lexemes, at + 1, _FRACTIONS["quarter"])
    if ratio_of := _written_ratio(lexemes, at):
        return _Value(ratio_of.number, one, ratio_of.end)
    part = _FRACTIONS.get(_word(lexemes, at + 1).removesuffix("s"))
    count = 1 if first in {"a", "one"} else _NUMBERS.get(first, 0)
    if part is None or not count or _word(lexemes, at + 2) != "of":
        return None
    return _part_of_unit(lexemes, at + 2, part * count) or _Value(part * count, one, at + 2)


def _half(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    half = _FRACTIONS["half"]
    unit = unit_of(_text(lexemes, at + 2))
    if _word(lexemes, at + 1) in {"a", "an"} and unit is not None:
        return _Value(half, unit, at + 3)
    if (span := unit_of(_word(lexemes, at + 1))) is not None and span.dimension in _SPANS:
        # `every half year`.
        return _Value(half, span, at + 2)
    return _Value(half, Unit("ratio", Fraction(1)), at + 1) if _is_of(lexemes, at + 1) else None


def _is_of(lexemes: Sequence[Lexeme], at: int) -> bool:
    return _word(lexemes, at) == "of"


def _one_span(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    """`an hour` in `within an hour`; not in `10 euros an hour`, `for a day trip`."""
    before, unit = _word(lexemes, at - 1) if at else "", _word(lexemes, at + 1)
    span = unit_of(unit)
    if _word(lexemes, at) not in {"a", "an"} or span is None or span.dimension not in _SPANS:
        return None
    up_to = before == "to" and _word(lexemes, at - 2) == "up"
    led = before in _BEFORE_SPANS or up_to or before in _TAKING
    # `for a second time`, `takes a day off`.
    alone = _closes(lexemes, at + 2) or (_is_of(lexemes, at + 2) and before == "within")
    return _Value(Fraction(1), span, at + 2) if led and alone and unit != "second" else None


def _span_and_part(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    """`an hour and a half`, `a year and a quarter`."""
    span = unit_of(_word(lexemes, at + 1))
    if _word(lexemes, at) not in {"a", "an", "one"} or span is None or span.dimension not in _SPANS:
        return None
    part = _FRACTIONS.get(_word(lexemes, at + 4))
    joined = _word(lexemes, at + 2) == "and" and _word(lexemes, at + 3) == "a"
    return _Value(1 + part, span, at + 5) if part is not None and joined else None


def _closes(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether what stands before a place belongs to no noun after it."""
    return at >= len(lexemes) or lexemes[at].kind == "mark" or _word(lexemes, at) in _GOING_ON


def _part_of_unit(lexemes: Sequence[Lexeme], at: int, part: Fraction) -> _Value | None:
    """`of an hour` after `a quarter`, `of a second` after `four hundredths`."""
    unit = unit_of(_word(lexemes, at + 2))
    if not _is_of(lexemes, at) or _word(lexemes, at + 1) not in {"a", "an"} or unit is None:
        return None
    return _Value(part, unit, at + 3)


def _written_ratio(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    """`2/3 of`, `nine in ten of`, `9 out of 10`."""
    count = _number(lexemes, at)
    if count is None:
        return None
    joined = 1 if _text(lexemes, count.end) in {"/", "in"} else 0
    if _word(lexemes, count.end) == "out" and _word(lexemes, count.end + 1) == "of":
        joined = 2
    whole = _number(lexemes, count.end + joined) if joined else None
    if whole is None or count.number >= whole.number or _word(lexemes, whole.end) != "of":
        return None
    return _Value(count.number / whole.number, None, whole.end)


def _value(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    """A number with its unit, or two that are one: `2 hours and 20 minutes`."""
    value = _plain_value(lexemes, at)
    if value is None or value.unit is None or value.unit.dimension != "time":
        return value
    rest = _plain_value(lexemes, value.end + (_word(lexemes, value.end) == "and"))
    if rest is None or rest.unit is None or rest.unit.dimension != "time":
        return value
    whole = value.number + rest.number * rest.unit.factor / value.unit.factor
    smaller = rest.unit.factor < value.unit.factor
    return _Value(whole, value.unit, rest.end) if smaller else value


def _plain_value(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    if _word(lexemes, at) == "fortnight":
        return _Value(Fraction(2), unit_of("week"), at + 1)
    currency = _text(lexemes, at) if _text(lexemes, at) in CURRENCIES else ""
    number = _number(lexemes, at + bool(currency))
    if number is None:
        return None
    if currency:
        return _Value(number.number, unit_of(currency), number.end)
    return _with_unit(lexemes, number)


def _number(lexemes: Sequence[Lexeme], at: int) -> _Value | None:
    if at >= len(lexemes):
        return None
    if lexemes[at].kind == "number":
        number = Fraction(lexemes[at].text.replace(",", "").lstrip("+"))
        return _multiplied(lexemes, number, at + 1)
    total, end = Fraction(0), at
    while (word := _word(lexemes, end)) in _NUMBERS and (end == at or _may_follow(total, word)):
        total, end = total + _NUMBERS[word], end + 1
        if _text(lexemes, end) == "-" and _word(lexemes, end + 1) in _NUMBERS:
            end += 1
    if end == at:
        if _word(lexemes, at) not in _MULTIPLES:
            return None
        total = Fraction(1)
    return _multiplied(lexemes, total, end)


def _may_follow(total: Fraction, word: str) -> bool:
    """`four` after `twenty`; `eight` after `two` counts something else."""
    return total >= 20 and 0 < _NUMBERS[word] < 10


def _multiplied(lexemes: Sequence[Lexeme], number: Fraction, end: int) -> _Value:
    while (word := _word(lexemes, end)) in _MULTIPLES:
        number, end = number * _MULTIPLES[word], end + 1
    if _word(lexemes, end - 1) in _MULTIPLES and _word(lexemes, end) == "and":
        # `two hundred and fifty`.
        rest = _number(lexemes, end + 1) if _word(lexemes, end + 1) in _NUMBERS else None
        if rest is not None and rest.number < _MULTIPLES["hundred"]:
            return _Value(number + rest.number, None, rest.end)
    return _Value(number, None, end)


def _with_unit(lexemes: Sequence[Lexeme], number: _Value) -> _Value:
    at = number.end + (_text(lexemes, number.end) == "-")
    if _word(lexemes, at) == "per" and _word(lexemes, at + 1) == "cent":
        return _Value(number.number, unit_of("%"), at + 2)
    unit, end = _unit_at(lexemes, at)
    if unit is None:
        return number
    if _is_per(lexemes, end):
        per, per_end = _unit_at(lexemes, end + 1)
        if per is not None:
            return _Value(number.number, ratio(unit, per), per_end)
    return _Value(number.number, unit, end)


def _is_per(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether `a week` follows a unit; `a second` may count something else."""
    if _word(lexemes, at) == "per" or _text(lexemes, at) == "/":
        return True
    unit, following = _word(lexemes, at + 1), _word(lexemes, at + 2)
    timed = (known := unit_of(unit)) is not None and known.dimension in {"time", "month"}
    return _word(lexemes, at) in _PER and timed and (unit != "second" or following in _NO_NOUNS)


def _unit_at(lexemes: Sequence[Lexeme], at: int) -> tuple[Unit | None, int]:
    """The unit at a place, which may be two words: `square metres`, `degrees Celsius`."""
    word, following = _word(lexemes, at), _text(lexemes, at + 1)
    unit = _unit(_text(lexemes, at))
    if word in {"square", "cubic"} and (length := unit_of(following)) is not None:
        return power(length, 2 if word == "square" else 3), at + 2
    if word in {"newton", "newtons"} and following in {"metre", "metres", "meter", "meters"}:
        return unit_of("Nm"), at + 2
    if word in {"degree", "degrees"} and following in {"Celsius", "Fahrenheit"}:
        return unit_of(f"°{following[0]}"), at + 2
    return unit, at + 1


def _unit(written: str) -> Unit | None:
    if "/" not in written:
        return unit_of(written)
    one, _, other = written.partition("/")
    first, second = unit_of(one), unit_of(other)
    return ratio(first, second) if first and second else None


def _time_of_day(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    hour, minute, end = _text(lexemes, at), "00", at + 1
    if lexemes[at].kind != "number" or not hour.isdecimal() or len(hour) > _DAY_LENGTH:
        return None
    colon = _text(lexemes, end) == ":" and len(_text(lexemes, end + 1)) == _DAY_LENGTH
    if colon and _text(lexemes, end + 1).isdecimal():
        minute, end = _text(lexemes, end + 1), end + 2
    half = _word(lexemes, end)
    if half in _NAMED_TIMES and int(hour) == _NOON and minute == "00":
        return Figure(_NAMED_TIMES[half], end + 1)
    if half in {"am", "pm"}:
        return Figure(f"@{int(hour) % 12 + 12 * (half == 'pm'):02}:{minute}", end + 1)
    return Figure(f"@{int(hour):02}:{minute}", end) if colon else None


def _named_time(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    """`noon`, where it is a time and no part of a name."""
    key = _NAMED_TIMES.get(lexemes[at].text)
    if key is None or not at or _word(lexemes, at - 1) not in _BEFORE_TIMES:
        return None
    return Figure(key, at + 1) if _closes(lexemes, at + 1) else None


def _date(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    day_first = _day(lexemes, at)
    if day_first is not None:
        month_at = day_first.end + (_word(lexemes, day_first.end) == "of")
        month = _month(lexemes, month_at)
        return _with_year(lexemes, month, day_first.key, month_at + 1) if month else None
    month = _month(lexemes, at)
    if not month:
        return _iso_date(lexemes, at)
    day = _day(lexemes, at + 1)
    if day is not None:
        return _with_year(lexemes, month, day.key, day.end)
    year = _year(lexemes, at + 1)
    return Figure(f"@{year}-{month:02}", at + 2) if year else None


def _with_year(lexemes: Sequence[Lexeme], month: int, day: str, end: int) -> Figure:
    at = end + (_text(lexemes, end) == ",")
    year = _year(lexemes, at)
    date = f"{month:02}-{int(day):02}"
    return Figure(f"@{year}-{date}", at + 1) if year else Figure(f"@{date}", end)


def _day(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    day = _text(lexemes, at)
    if not day.isdecimal() or len(day) > _DAY_LENGTH:
        return None
    return Figure(day, at + 1 + (_word(lexemes, at + 1) in {"st", "nd", "rd", "th"}))


def _month(lexemes: Sequence[Lexeme], at: int) -> int:
    written = _text(lexemes, at)
    return _MONTH_NUMBERS.get(written.lower(), 0) if written[:1].isupper() else 0


def _year(lexemes: Sequence[Lexeme], at: int) -> str:
    year = _text(lexemes, at)
    return year if year.isdecimal() and len(year) == _YEAR_LENGTH else ""


def _iso_date(lexemes: Sequence[Lexeme], at: int) -> Figure | None:
    parts = [_text(lexemes, at + place) for place in range(5)]
    lengths = [len(part) for part in parts]
    if lengths != [4, 1, 2, 1, 2] or parts[1] != "-" or parts[3] != "-":
        return None
    numbers = parts[::2]
    return Figure(f"@{'-'.join(numbers)}", at + 5) if all(map(str.isdecimal, numbers)) else None
