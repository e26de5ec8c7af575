"""Reads the words of a question that may be misspelt, and the words that are near them.

No vocabulary is kept: the index counts all words at an edit distance of one at once, within what
the reader may see. Decision 0039 has the reasons.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice

from sourcebook.core.stop_words import STOP_WORDS
from sourcebook.search.identifiers import IDENTIFIER
from sourcebook.search.words import language_of, read_words, stands_in

# A shorter word is at a distance of one from too many others; in one of four letters, only two that
# changed places are looked at.
MIN_LENGTH = 5
MIN_SWAPPED_LENGTH = 4
MAX_LENGTH = 25
# `imagepulbackof`: nothing else is near such a word.
MIN_LONG_LENGTH = 9
# Forms of a word begin with the same letters.
SAME_LETTERS = 3
# What is found first says what words there are.
MAX_TEXTS = 10
MIN_SMALL_LENGTH = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# What people leave out of German, French and Spanish words.
_ACCENTED = "äöüßàâçéèêîôûñáíóú"
# A whole word of letters: no part of a flag, a path or an identifier.
_WORD = re.compile(
    rf"(?<![\w./@#$:'’-])[^\W\d_]{{{MIN_SMALL_LENGTH},{MAX_LENGTH}}}(?![\w/@#$'’-]|[.:]{{1,2}}\w)"
)
_WORD_OR_IDENTIFIER = re.compile(f"{IDENTIFIER.pattern}|{_WORD.pattern}")
_ANY_WORD = re.compile(r"[^\W\d_]+")


def doubtful_words(question: str, texts: Iterable[str]) -> list[str]:
    """Return words of a question that stand in none of the texts that it found, in lower case."""
    language = language_of(question)
    shortest = MIN_SWAPPED_LENGTH if language == "english" else MIN_LENGTH
    small = misspelt_small_words(language)
    words = dict.fromkeys(found[0].lower() for found in _WORD.finditer(question))
    said = "\n".join(islice(texts, MAX_TEXTS)).lower()
    return [
        word
        for word in words
        if not stands_in(said, word)
        and read_words(word)[0].kind == "content"
        and (len(word) >= MIN_LENGTH or not is_name(word, question))
        and (len(word) >= shortest or word in small)
    ]


@cache
def misspelt_small_words(language: str) -> Mapping[str, str]:
    """Return each small word of a language by what it is with two letters swapped or one missing.

    No index has small words, and a reader stumbles over such. What two words may be is neither.
    """
    small = STOP_WORDS.get(language, frozenset())
    found: dict[str, set[str]] = {}
    for word in (word for word in small if len(word) >= MIN_SMALL_LENGTH):
        for one in {*_swapped(word), *_shortened(word)}:
            found.setdefault(one, set()).add(word)
    return {
        one: next(iter(words))
        for one, words in found.items()
        if len(words) == 1 and len(one) >= MIN_SMALL_LENGTH and one not in small
    }


def is_name(word: str, question: str) -> bool:
    """Return whether a question writes a word with a capital that no sentence begins with."""
    typed = [found for found in _WORD.finditer(question) if found[0].lower() == word]
    return any(
        found[0] != word and (found.start() > 0 or found[0] != word.capitalize()) for found in typed
    )


def composed(text: str) -> str:
    """Return a text with each accent and its letter as one character."""
    return unicodedata.normalize("NFC", text)


def is_form_of(word: str, other: str, language: str) -> bool:
    """Return whether two words have the same stem: the index finds each by the other."""
    return stem(word, language) == stem(other, language)


def stem(word: str, language: str = "english") -> str:
    """Return the stem of a word."""
    return read_words(word, language)[0].stem


def variants(word: str) -> list[str]:
    """Return everything at an edit distance of one that begins with the same letter.

    Two letters that changed places count as one edit, also at the beginning; of a short word, only
    that. Of a long word, two letters may be doubled or single that should not be.
    """
    head, tail = word[0], word[1:]
    parts = [(tail[:at], tail[at:]) for at in range(len(tail) + 1)]
    found = _swapped(word)
    if len(word) < MIN_LENGTH:
        return [one for one in dict.fromkeys(found) if one != word]
    found += _shortened(word)
    instead = _LETTERS + _ACCENTED
    found += [head + left + new + right[1:] for left, right in parts if right for new in instead]
    found += [head + left + new + right for left, right in parts for new in _LETTERS]
    if len(word) >= MIN_LONG_LENGTH:
        found += [
            twice for once in _with_other_doubles(word) for twice in _with_other_doubles(once)
        ]
    return [one for one in dict.fromkeys(found) if one != word]


def _swapped(word: str) -> list[str]:
    """Return the word with two letters that changed places; the first two last."""
    places = [*range(1, len(word) - 1), 0]
    return [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places]


def _shortened(word: str) -> list[str]:
    """Return the word without one letter that is not the first."""
    return [word[:at] + word[at + 1 :] for at in range(1, len(word))]


def _with_other_doubles(word: str) -> list[str]:
    """Return the word with one letter doubled, or with one of two equal ones."""
    places = range(1, len(word))
    single = [word[:at] + word[at + 1 :] for at in places if word[at] == word[at - 1]]
    return single + [word[:at] + word[at] + word[at:] for at in places]


def count_words(texts: Iterable[str], *, only_names: bool = False) -> "Counter[str]":
    """Return how often the first texts have each word in lower case, or each with a capital."""
    words = _ANY_WORD.findall("\n".join(islice(texts, MAX_TEXTS)))
    return Counter(word.lower() for word in words if word[0].isupper() or not only_names)


def likeliest(candidates: Sequence[str], said: Mapping[str, int]) -> str | None:
    """Return the candidate that was said most often; of equals, the first."""
    return max((one for one in candidates if one in said), key=said.__getitem__, default=None)


def likeliest_form(candidates: Sequence[str], said: Mapping[str, int]) -> str | None:
    """Return the candidate of which forms were said most often, if not itself.

    A text that was found by the stem of `configured` may say `configuration` only.
    """
    wanted: dict[str, str] = {}
    for one in candidates:
        wanted.setdefault(stem(one), one)
    beginnings = frozenset(one[:SAME_LETTERS] for one in candidates)
    counts: Counter[str] = Counter()
    for word, count in said.items():
        if word[:SAME_LETTERS] in beginnings and (form := stem(word)) in wanted:
            counts[wanted[form]] += count
    return counts.most_common(1)[0][0] if counts else None


def corrected(question: str, corrections: Mapping[str, str]) -> str:
    """Return the question with these words and identifiers replaced."""
    return _WORD_OR_IDENTIFIER.sub(
        lambda found: corrections.get(found[0].lower(), found[0]), question
    )
