"""Tells English from other languages, also in questions of a few words."""

from sourcebook.search.words import language_of as language_of_question
from sourcebook.text.languages import language_of


def is_english(text: str) -> bool:
    """Whether a sentence looks like English; short ones without small words do."""
    return language_of_question(text) == "english" and language_of(text) == "en"
