"""Reads the words of a text for comparison: lower case, stemmed, numbers in one spelling.

English unless the text is German, French or Spanish, which its small words tell.
"""

import re
import threading
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import Stemmer

from sourcebook.core.stop_words import STOP_WORDS
from sourcebook.text.languages import HOMOGRAPHS, MAX_TELLING_CHARACTERS, telling_words

Kind: TypeAlias = Literal["content", "function", "denial"]

# `I` and `yes` are not among them: who says so says something that no book says.
_FUNCTION_TEXT = """
a about above after again all also although am among an and another any are as at be because been
before being below between both but by can could did do does doing done down during each either
else etc even ever every few for from further get gets got had has have having he her here hers
herself him himself his how however if in into is it its itself just let lot lots many may might
more most much must of off often on once one only onto or other others our ours out over own per
quite rather really same shall she should since so some such than that the their theirs them
themselves then there therefore these they thing things this those though through thus to too
toward towards under until up upon us very via was we well were what when where whereas whether
which while who whom whose why will with within would yet you your yours yourself
hes shes theyre theyve youre youve were weve thats theres whats s t d ll re ve m
"""
_DENIAL_TEXT = """
no not never none nothing nobody nowhere neither nor without cannot cant dont doesnt didnt isnt
arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent hadnt mustnt aint nt
"""
# Without `one`, which is mostly no number.
_SMALL_TEXT = """
zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS_TEXT = "- - twenty thirty forty fifty sixty seventy eighty ninety hundred"
_FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())
_DENIALS = frozenset(_DENIAL_TEXT.split())
_NUMBERS = {
    **{word: str(number) for number, word in enumerate(_SMALL_TEXT.split())},
    **{word: str(10 * number) for number, word in enumerate(_TENS_TEXT.split())},
}
# `ROS2` and `ROS 2`, `10ms` and `10 ms` are the same words. Signs that stand for a word or a
# syllable are words of their own.
_WORD = re.compile(
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)*|\d+(?:\.\d+)*"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:['’](?:[^\W\d_]+))*"
)


# Questions may be too short for other small words.
_ASKING_TEXT = {
    "german": "wann wieso wieviel welches wen wem gibt kostet bedeutet heißt heisst tun",
    "french": "combien quand quelles quoi ça faut",
    "spanish": "cuáles cuánto cuánta cuántos cuántas quién quiénes significa puedo necesito",
}
# And what is written in none of the others: `l'accès`, `Comment installer ?`, `¿Es gratis?`.
_TELLING_SIGNS = {
    "french": re.compile(
        r"(?i:\b(?:[cdjlmnst]|qu))['’](?=[aeiouhàâéèêîôù])"
        r"|\A[Cc]omment\b(?=[^?]*\s\?|\s+\w+(?:er|ir|re)\b[^?]*\?)"
    ),
    "spanish": re.compile("[¿¡]"),
}
_ENGLISH_WORDS = STOP_WORDS["english"] | _FUNCTION_WORDS
# Small words that English has too tell nothing.
_TELLING = {
    language: STOP_WORDS[language].union(asking.split()) - (_ENGLISH_WORDS | HOMOGRAPHS)
    for language, asking in _ASKING_TEXT.items()
}
# And against another language, only those count as English that it has not: `was`, `in`.
_ONLY_ENGLISH = {language: _ENGLISH_WORDS - STOP_WORDS[language] for language in _TELLING}


class _Stemmers(threading.local):
    """A stemmer keeps its word in itself, so threads must not share one."""

    def __init__(self) -> None:
        self._by_language = {
            language: Stemmer.Stemmer(language) for language in ("english", *_TELLING)
        }

    def stem(self, word: str, language: str) -> str:
        stem: str = self._by_language[language].stemWord(word)
        return stem


_stemmers = _Stemmers()


# A tuple, because an answer makes thousands of them.
class Word(NamedTuple):
    """A word as it is compared; `text` is in lower case, `start` is where it stands."""

    text: str
    stem: str
    kind: Kind
    start: int

    @property
    def is_figure(self) -> bool:
        return self.stem[0].isdecimal()


def language_of(text: str) -> str:
    """Return the language whose small words the text has most of; English in doubt."""
    text = text[:MAX_TELLING_CHARACTERS]
    words = telling_words(text)
    most, language = 0, "english"
    for other, telling in _TELLING.items():
        count = sum(word in telling for word in words) + _count_signs(text, other)
        if count > most and count > sum(word in _ONLY_ENGLISH[other] for word in words):
            most, language = count, other
    return language


def _count_signs(text: str, language: str) -> int:
    signs = _TELLING_SIGNS.get(language)
    return len(signs.findall(text)) if signs else 0


def read_words(text: str, language: str = "english") -> tuple[Word, ...]:
    """All words in order."""
    return tuple(Word(*_read(found[0], language), found.start()) for found in _WORD.finditer(text))


def content_words(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order, in the language of the text."""
    words = read_words(text, language_of(text))
    return tuple(word.stem for word in words if word.kind == "content")


def stands_in(said: str, word: str) -> bool:
    """Return whether a word stands in a text in lower case, not as a part of another."""
    at = said.find(word)
    while at >= 0:
        after = at + len(word)
        if not said[max(0, at - 1) : at].isalpha() and not said[after : after + 1].isalpha():
            return True
        at = said.find(word, after)
    return False


@lru_cache(maxsize=20_000)
def _read(written: str, language: str) -> tuple[str, str, Kind]:
    if written[0].isdecimal():
        figure = written.replace(",", "")
        return figure, figure, "content"
    plain = written.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    if language != "english":
        stem = _stemmers.stem(plain, language)
        return plain, stem, "function" if plain in STOP_WORDS[language] else "content"
    if plain in _NUMBERS:
        return plain, _NUMBERS[plain], "content"
    stem = _stemmers.stem(plain, language)
    if plain in _DENIALS:
        return plain, stem, "denial"
    return plain, stem, "function" if plain in _FUNCTION_WORDS else "content"
