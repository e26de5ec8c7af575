"""Corrects words of a question that the documents do not know, if they know one that is near.

No vocabulary is kept: all words at an edit distance of one are searched for at once, within what
the reader may see, and what is found says which of them exist. Decision 0039 has the reasons.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice

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
# So many words of a question are looked at.
MAX_WORDS = 5
# No index has words that say nothing, so these are known here; a reader stumbles over them. Those
# that are words of their own, such as `form` for `from`, are not among them.
_SMALL_WORDS = {
    misspelt: word
    for word, misspelt_ones in {
        "because": "becuase becasue beacuse becaus",
        "before": "befor befroe",
        "between": "betwen beetween bewteen",
        "can": "cna",
        "could": "coud cuold",
        "does": "deos doese",
        "every": "evry evrey",
        "have": "ahve haev",
        "how": "hwo hou",
        "instead": "insted isntead insetad",
        "often": "offen oftne",
        "should": "shoud shuld shoudl",
        "that": "taht thta",
        "the": "teh hte",
        "there": "tehre ther",
        "these": "theese thses",
        "they": "tehy htey",
        "this": "thsi htis tihs",
        "what": "waht wath whta wat",
        "when": "wehn whne",
        "where": "wher whre wehre",
        "whether": "wether wheter",
        "which": "wich whcih wihch whihc",
        "while": "whlie whiel",
        "with": "wiht iwth",
        "without": "wihtout withouth",
        "would": "woud wuold",
        "your": "yuor",
    }.items()
    for misspelt in misspelt_ones.split()
}
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
    long = [
        word
        for word in _words(question)
        if len(word) >= MIN_LENGTH or (len(word) >= shortest and not is_name(word, question))
    ]
    content = [word for word in long if read_words(word)[0].kind == "content"]
    if not content:
        return []
    said = _said(texts)
    # Most are there as they are asked for, and need no list of what else is.
    missing = [word for word in content if not stands_in(said, word)]
    known = set(_ANY_WORD.findall(said)) if missing else set()
    return [word for word in missing if not _has_form_of(word, known, language)][:MAX_WORDS]


def small_words(question: str, texts: Iterable[str]) -> dict[str, str]:
    """Return words that none of the texts has, and the small English word each is meant for."""
    known = (word for word in _words(question) if word in _SMALL_WORDS)
    found = {word: _SMALL_WORDS[word] for word in islice(known, MAX_WORDS)}
    if not found or language_of(question) != "english":
        return {}
    said = _said(texts)
    return {word: meant for word, meant in found.items() if not stands_in(said, word)}


def is_name(word: str, question: str) -> bool:
    """Return whether a question writes a word with a capital that no sentence begins with."""
    typed = [found for found in _WORD.finditer(question) if found[0].lower() == word]
    return any(
        found[0] != word and (found.start() > 0 or found[0] != word.capitalize()) for found in typed
    )


def composed(text: str) -> str:
    """Return a text with each accent and its letter as one character."""
    return unicodedata.normalize("NFC", text)


def _words(question: str) -> list[str]:
    return list(dict.fromkeys(found[0].lower() for found in _WORD.finditer(question)))


def _said(texts: Iterable[str]) -> str:
    return "\n".join(islice(texts, MAX_TEXTS)).lower()


def _has_form_of(word: str, known: Set[str], language: str) -> bool:
    """Return whether another form of a word is among those in lower case."""
    # Stemming all of them would take several times as long.
    begin = word[:SAME_LETTERS]
    return any(is_form_of(word, one, language) for one in known if one.startswith(begin))


def is_form_of(word: str, other: str, language: str) -> bool:
    """Return whether two words have the same stem: the index finds each by the other."""
    return _stem(word, language) == _stem(other, language)


def _stem(word: str, language: str = "english") -> str:
    return read_words(word, language)[0].stem


def variants(word: str) -> list[str]:
    """Return everything at an edit distance of one that begins with the same letter.

    Two letters that changed places count as one edit, also at the beginning; of a short word, only
    that. Of a long word, two letters may be doubled or single that should not be.
    """
    head, tail = word[0], word[1:]
    parts = [(tail[:at], tail[at:]) for at in range(len(tail) + 1)]
    found = [head + left + right[1] + right[0] + right[2:] for left, right in parts if right[1:]]
    found.append(word[1] + word[0] + word[2:])
    if len(word) < MIN_LENGTH:
        return [one for one in dict.fromkeys(found) if one != word]
    found += [head + left + right[1:] for left, right in parts if right]
    instead = _LETTERS + _ACCENTED
    found += [head + left + new + right[1:] for left, right in parts if right for new in instead]
    found += [head + left + new + right for left, right in parts for new in _LETTERS]
    if len(word) >= MIN_LONG_LENGTH:
        found += [
            twice for once in _with_other_doubles(word) for twice in _with_other_doubles(once)
        ]
    return [one for one in dict.fromkeys(found) if one != word]


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
        wanted.setdefault(_stem(one), one)
    beginnings = frozenset(one[:SAME_LETTERS] for one in candidates)
    counts: Counter[str] = Counter()
    for word, count in said.items():
        if word[:SAME_LETTERS] in beginnings and (stem := _stem(word)) in wanted:
            counts[wanted[stem]] += count
    return counts.most_common(1)[0][0] if counts else None


def without_forms_of(word: str, candidates: Sequence[str]) -> list[str]:
    """Return the candidates that are no forms of a word."""
    stem = _stem(word)
    return [one for one in candidates if _stem(one) != stem]


def corrected(question: str, corrections: Mapping[str, str]) -> str:
    """Return the question with these words and identifiers replaced."""
    return _WORD_OR_IDENTIFIER.sub(
        lambda found: corrections.get(found[0].lower(), found[0]), question
    )
