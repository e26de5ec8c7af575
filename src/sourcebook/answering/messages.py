"""Finds where a message or its code stands that somebody has pasted, of a program that complains.

A reader learned to look for what answers a question, and a message asks nothing.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from sourcebook.search.words import Word, read_words

# Fewer words are a phrase that may stand anywhere.
MIN_WORDS = 6
# Words that stand together in both; names and values between them may differ.
MIN_RUN = 3
# Of the message's words, those that stand together.
MIN_SHARE = 0.7
_ASKING = re.compile(
    r"\?|^\W*(?:what|which|who|whom|whose|why|how|when|where|is|are|do|does|did|can|could|should)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\n]{10,500})`|\"([^\"\n]{10,500})\"|“([^”\n]{10,500})”")
# "What does F12 mean?", "error E-42", "SQLITE_BUSY".
_ABOUT_CODE = re.compile(
    r"\W*+(?i:what(?:'s|’s| is| does| do)? |(?:the )?meaning of |explain )?(?i:(?:the|an?) )?"
    r"(?i:(?:exit|error|fault|status|alarm|code|message|warning)s? ){0,2}\W*+"
    r"(?P<code>(?i:[A-Z]{1,5}-?\d{1,6})|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
    r"(?:\W++(?i:means?|stands? for|says?|indicates?|error|fault|code)\b){0,2}+\W*+"
)


def asked_code(question: str) -> re.Pattern[str] | None:
    """What finds the code that a question is about alone: "What does F12 mean?"."""
    found = _ABOUT_CODE.fullmatch(" ".join(question.split()))
    if found is None:
        return None
    return re.compile(rf"(?<![\w-]){re.escape(found['code'])}(?![\w-])", re.IGNORECASE)


def pasted_messages(question: str) -> list[list[str]]:
    """The words of each message: what a question quotes, and the whole if it asks nothing."""
    quoted = [next(filter(None, found.groups())) for found in _QUOTED.finditer(question)]
    texts = quoted if _ASKING.search(question) else [*quoted, question]
    messages = ([word.text for word in read_words(text)] for text in texts)
    return [words for words in messages if len(words) >= MIN_WORDS]


def holds(words: Sequence[Word], message: list[str]) -> bool:
    """Whether a text has most of a message as it is."""
    there = [word.text for word in words]
    needed = MIN_SHARE * len(message)
    known = set(there)
    # Most texts have too few of its words, which is told much faster than where they stand.
    if sum(word in known for word in message) < needed:
        return False
    return _together(message, there) >= needed


def _together(message: list[str], there: list[str]) -> int:
    """How many words of the message stand in the text in runs, in their order."""
    runs = SequenceMatcher(None, message, there, autojunk=False).get_matching_blocks()
    return sum(run.size for run in runs if run.size >= MIN_RUN)
