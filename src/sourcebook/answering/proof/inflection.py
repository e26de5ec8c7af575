"""Reduces an English word to what tense and number leave alone: `opened` and `opens` to `open`.

A stemmer goes further and takes `positive` for `position`; here only inflection is removed.
"""

from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from sourcebook.answering.proof.word_classes import FIXED_WORDS, VERB_WORDS
from sourcebook.answering.proof.word_forms import IRREGULAR_FORMS, IRREGULAR_PLURALS, SPELLINGS

Form: TypeAlias = Literal["base", "s", "ed", "ing"]

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_DOUBLED_BASES = frozenset(
    {"add", "err", "ebb", "sniff", "stuff", "putt", "staff", "cuff", "whirr"}
)
# British English doubles the `l` of these: `cancelled`, `labelling`.
_DOUBLED_L = frozenset({"cancel", "travel", "model", "label", "signal", "level", "channel", "fuel"})
_MIN_LENGTH = 4
_PREFIXES = ("over", "under", "re", "un", "out", "mis", "with")
_PREFIXED = frozenset(word for word in VERB_WORDS if word.startswith(_PREFIXES))


class Inflection(NamedTuple):
    """The key that all forms of a word share, and which form this is."""

    key: str
    form: Form


@lru_cache(maxsize=20_000)
def inflection(word: str) -> Inflection:
    """Read a word in lower case."""
    if word in FIXED_WORDS:
        return Inflection(word, "base")
    if word in IRREGULAR_FORMS:
        base, form = IRREGULAR_FORMS[word]
        return Inflection(_ending(base), form)
    if word in IRREGULAR_PLURALS:
        return Inflection(_ending(IRREGULAR_PLURALS[word]), "s")
    if (known := _prefixed(word)) is not None:
        return known
    spelled = _american(word)
    if len(spelled) < _MIN_LENGTH or not spelled.isascii():
        return Inflection(spelled.removesuffix("'"), "base")
    base, form = _uninflected(spelled)
    return Inflection(_ending(base), form)


def _prefixed(word: str) -> Inflection | None:
    """`overridden` and `rewrote`, by what is left without `over` and `re`."""
    for prefix in _PREFIXES:
        base, form = IRREGULAR_FORMS.get(word.removeprefix(prefix), ("", "base"))
        if word.startswith(prefix) and prefix + base in _PREFIXED:
            return Inflection(_ending(prefix + base), form)
    return None


def _american(word: str) -> str:
    for british, american in SPELLINGS:
        if british in word:
            word = word.replace(british, american)
    if len(word) > 6:
        for british, american in (("isation", "ization"), ("ising", "izing"), ("ised", "ized")):
            word = word.replace(british, american)
        if word.endswith(("ise", "ises")):
            word = word.replace("ise", "ize")
    return word


def _uninflected(word: str) -> tuple[str, Form]:
    for suffix, form in (("ing", "ing"), ("ed", "ed")):
        stem = word.removesuffix(suffix)
        if stem != word and not word.endswith("eed") and _VOWELS.intersection(stem):
            return _restored(stem), "ing" if form == "ing" else "ed"
    if word.endswith("ied"):
        return word[:-3] + "y", "ed"
    return _singular(word)


def _restored(stem: str) -> str:
    """The base form of what is left without `ed` or `ing`."""
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if stem.endswith(_DOUBLES) and stem not in _DOUBLED_BASES:
        return stem[:-1]
    if stem.endswith("ll") and stem[:-1] in _DOUBLED_L:
        return stem[:-1]
    if stem.endswith(("at", "bl", "iz")) or _is_short(stem):
        return stem + "e"
    return stem


def _singular(word: str) -> tuple[str, Form]:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y", "s"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2], "s"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1], "s"
    return word, "base"


def _is_short(stem: str) -> bool:
    """Whether one syllable is left that had an `e`: `hop` of `hoped`, not `fail` of `failed`."""
    if len(stem) < 2 or stem[-1] in _VOWELS or stem[-1] in "wx":
        return False
    return stem[-2] in _VOWELS and not _VOWELS.intersection(stem[:-2])


def _ending(base: str) -> str:
    """Without a final `e` that `ed` and `ing` would hide, unless one syllable is left."""
    if base.endswith("e") and len(base) > 4 and not _is_short(base[:-1]):
        return base[:-1]
    return base
