"""Reads the terms of a text: stemmed words, and identifiers whole and in parts."""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import Stemmer

from sourcebook.core.stop_words import STOP_WORDS

# A token is a word, or several joined by the signs of identifiers, paths, flags and versions.
_TOKEN = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:--?(?=[^\W\d_]))?[^\W_]+(?:['’][^\W_]+)*(?:[-_./:@#+\\]+[^\W_]+(?:['’][^\W_]+)*)*[+#]*"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Where `createPublisher` and `HTTPServer` consist of two words.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEGMENT = re.compile(r"[^/\\:@]+")
_VERSION = re.compile(r"^v(?=\d)")
# Longer ones are encoded data, not names that somebody would search for.
MAX_IDENTIFIER_LENGTH = 64
MAX_WORD_LENGTH = 40
_EXACT = "="
# The language whose stemmer reads the words of a script; Latin ones are in the language chosen.
_LANGUAGE_OF_SCRIPT = {
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "ARMENIAN": "armenian",
    "TAMIL": "tamil",
    "HEBREW": "yiddish",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text. `words` are stems in order, `pairs` the neighbours among them.

    `exact` are identifiers as they are written.
    """

    words: tuple[str, ...]
    exact: tuple[str, ...]
    pairs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    words: tuple[str, ...]
    exact: tuple[str, ...]


class TermReader:
    """Reads texts in one language, the same way for documents and for questions."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._stop_words = STOP_WORDS.get(language, frozenset())
        self._stemmers = _Stemmers()
        self._read = lru_cache(maxsize=100_000)(self._read_token)

    def read(self, text: str) -> Terms:
        """All terms, in order, with their repetitions; no stop words."""
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text)
        words: list[str] = []
        exact: list[str] = []
        for found in _TOKEN.finditer(text):
            token = self._read(found[0])
            words += token.words
            exact += token.exact
        pairs = tuple(f"{one} {other}" for one, other in pairwise(words))
        return Terms(tuple(words), tuple(exact), pairs)

    def stem_of(self, word: str) -> str | None:
        """The stem of a word in lower case; None of a stop word."""
        if word in self._stop_words:
            return None
        if not word.isascii():
            word = unicodedata.normalize("NFKC", word)
        return self._stemmers.stem(word[:MAX_WORD_LENGTH], self.language)

    def _read_token(self, written: str) -> _Token:
        parts = _WORD.findall(written) or [written]
        words = [stem for part in parts for stem in self._words(part)]
        return _Token(tuple(words), tuple(dict.fromkeys(_exact(written, parts))))

    def _words(self, part: str) -> Iterator[str]:
        pieces = _CAMEL.split(part)
        if len(pieces) > 1:
            yield from self._stems(pieces)
        yield from self._stems([part])

    def _stems(self, pieces: Iterable[str]) -> Iterator[str]:
        for piece in pieces:
            stem = self.stem_of(piece.lower().replace("’", "'"))
            if stem is not None:
                yield stem


def _exact(written: str, parts: list[str]) -> Iterator[str]:
    """The identifier, and those that it is joined from: of a path also the name of the file."""
    is_plain = len(parts) == 1 and written == parts[0]
    if is_plain:
        return
    whole = written.lower()
    for name in (whole, *_SEGMENT.findall(whole)):
        # `--no-minify` and `no-minify`, `v1.2.3` and `1.2.3` are asked for alike.
        for spelled in (name, _VERSION.sub("", name.lstrip("-"), count=1)):
            if len(spelled) <= MAX_IDENTIFIER_LENGTH and _WORD.fullmatch(spelled) is None:
                yield _EXACT + spelled


class _Stemmers(threading.local):
    """Stemmers by language. One keeps its word in itself, so threads must not share it."""

    def __init__(self) -> None:
        self._by_language: dict[str, Stemmer.Stemmer] = {}

    def stem(self, word: str, latin: str) -> str:
        language = latin
        if not word.isascii():
            script = unicodedata.name(word[0], "").partition(" ")[0]
            language = _LANGUAGE_OF_SCRIPT.get(script, latin)
        stemmer = self._by_language.get(language)
        if stemmer is None:
            stemmer = self._by_language[language] = Stemmer.Stemmer(language)
        stem: str = stemmer.stemWord(word)
        return stem
