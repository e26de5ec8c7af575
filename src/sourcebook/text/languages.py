"""Tells the language of a sentence by its script and its small words."""

import re
from collections import Counter

from sourcebook.core.stop_words import STOP_WORDS

# The beginning of a long text tells its language.
MAX_TELLING_CHARACTERS = 2_000
MIN_SHOUTED_WORDS = 3
_LETTERS = re.compile(r"[^\W\d_]+")
# Small words of these languages that are other words in English: `man`, `car`, `sin`.
_HOMOGRAPH_TEXT = """
ai bin car comment e era ha hat hay ma man min mon non o par plus sans se ser sin son ta tan ton u
war
"""
HOMOGRAPHS = frozenset(_HOMOGRAPH_TEXT.split())
_NAMES = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "no": "norwegian",
}
_ENGLISH = STOP_WORDS["english"]
_TELLING = {code: STOP_WORDS[name] - _ENGLISH - HOMOGRAPHS for code, name in _NAMES.items()}
_ONLY_ENGLISH = {code: _ENGLISH - STOP_WORDS[name] for code, name in _NAMES.items()}
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    # The letters of Urdu that Arabic and Persian lack.
    ("ur", re.compile(r"[ٹڈڑںھہے]")),
)
_LETTER = re.compile(r"[^\W\d_]")
_END_OF_LATIN = "\u0370"
UNSPACED = frozenset({"zh", "ja"})
# Of the letters, so many are Latin in a sentence that only names things in another script.
MIN_LATIN = 0.7


def language_of(text: str, otherwise: str = "en") -> str:
    """The code of a text's language; `otherwise` if no small word tells, "" if it is not known."""
    text = text[:MAX_TELLING_CHARACTERS]
    script = _script_of(text)
    if script is not None:
        return script
    counts = _counts(text)
    return max(counts, key=lambda code: counts[code]) if any(counts.values()) else otherwise


def telling_words(text: str) -> list[str]:
    """Return the words that may tell its language, in lower case.

    `MIT` and `ES` are no small words, unless more than a name is in capitals.
    """
    words = _LETTERS.findall(text)
    if text.isupper() and len(words) >= MIN_SHOUTED_WORDS:
        return [word.lower() for word in words]
    return [word.lower() for word in words if len(word) == 1 or not word.isupper()]


def may_be(text: str, language: str) -> bool:
    """Whether a text is in a language, as far as its script and its small words tell."""
    script = _script_of(text)
    if script is not None:
        return script == language
    counts = _counts(text)
    return counts.get(language, 0) == max(counts.values())


def _script_of(text: str) -> str | None:
    """The language that a script stands for; None if it is Latin, which many languages have."""
    letters = _LETTER.findall(text)
    if sum(letter < _END_OF_LATIN for letter in letters) >= MIN_LATIN * len(letters):
        return None
    return next((code for code, sign in _SCRIPTS if sign.search(text)), "")


def _counts(text: str) -> dict[str, int]:
    """How many words of a text are small words of each language; English comes first.

    Of another one, those that English has too do not count, and no more than English has alone.
    """
    words = Counter(telling_words(text))
    counts = {"en": int(bool(words.keys() & _ENGLISH))}
    for code, telling in _TELLING.items():
        count = sum(words[word] for word in words.keys() & telling)
        english = sum(words[word] for word in words.keys() & _ONLY_ENGLISH[code])
        counts[code] = count + 1 if count > english else 0
    return counts
