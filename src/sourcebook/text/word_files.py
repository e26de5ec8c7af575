"""Reads what the word file of a language says: its denials, its units, how it names the evidence.

A line has a name and words: `denial: not, no*`, where `*` stands for any ending. A language without
a file has none of them, and only copies of it are proven.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from sourcebook.text.languages import UNSPACED, language_of

# What the words of a kind do in a sentence: they must be in a claim if they are in the evidence.
KINDS = frozenset(
    {"denial", "except", "condition", "all", "some", "before", "after", "more", "less"}
    | {"least", "most"}
)
# As in `You must not:`, `Except in summer:`, `If the lamp blinks:`.
_LIMITING = frozenset({"denial", "except", "condition"})


@cache
def words_of(language: str) -> Mapping[str, str]:
    """The lines of a language's file by their names; nothing if it has no file."""
    file = files(__package__).joinpath("words", f"{language}.txt")
    if not language or not file.is_file():
        return {}
    lines = (line.partition(":") for line in file.read_text("utf-8").splitlines())
    return {name: words.strip() for name, _, words in lines if not name.startswith("#")}


def one_of(language: str, *names: str) -> str:
    """A pattern for the words of some lines; for one that nothing matches, if there are none."""
    text = ", ".join(words_of(language).get(name, "") for name in names)
    words = sorted(filter(None, map(str.strip, text.split(","))), key=lambda word: -len(word))
    if not words:
        return r"(?!)"
    either = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words)
    return f"(?:{either})" if language in UNSPACED else rf"(?<!\w)(?:{either})(?!\w)"


@cache
def pattern_of(language: str, *names: str) -> re.Pattern[str]:
    """The pattern for the words of some lines, in small or large letters."""
    return re.compile(one_of(language, *names), re.IGNORECASE)


def kinds_in(text: str, language: str) -> frozenset[str]:
    """What the small words of a text do."""
    names = KINDS & words_of(language).keys()
    return frozenset(name for name in names if pattern_of(language, name).search(text))


def limits(text: str) -> bool:
    """Whether a text in another language than English denies or limits something.

    For English there are more ways to say so: `governing` has them.
    """
    language = language_of(text)
    return language != "en" and bool(kinds_in(text, language) & _LIMITING)


def joints(language: str) -> frozenset[str]:
    """The words that join two clauses: `and`, `but`."""
    return frozenset(words_of(language).get("clause", "").split(", "))
