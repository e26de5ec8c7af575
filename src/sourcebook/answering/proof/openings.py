"""What a claim says of the evidence itself: that it says so, or that it lacks something."""

import re
from functools import cache

from sourcebook.text.languages import language_of
from sourcebook.text.word_files import one_of, pattern_of

_MARKS = r"[\s*_]*"
_COMMA = rf"{_MARKS}[,:，：、،]{_MARKS}"


def without_opening(claim: str, language: str) -> str:
    """A claim without what only opens it: `Note that`, `According to the manual,`."""
    leading, trailing = _patterns(language)
    while (found := leading.match(claim)) and claim[found.end() :].strip():
        claim = claim[found.end() :]
    found = trailing.search(claim)
    return claim[: found.start()] if found and found.start() else claim


def says_it_is_missing(claim: str) -> bool:
    """Whether a line says that the evidence lacks something.

    A model that says so must not be answered with the sentence that comes nearest.
    """
    language = language_of(claim)
    missing, evidence = pattern_of(language, "denial"), pattern_of(language, "evidence")
    return any(missing.search(line) and evidence.search(line) for line in claim.splitlines())


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may open a claim, and what may end it."""
    according, source = one_of(language, "according"), one_of(language, "source", "evidence")
    article = rf"(?:{one_of(language, 'article')}\W*)*"
    says = one_of(language, "says")
    # Japanese and Urdu name the source first.
    naming = rf"(?:{according}\W*{article}{source}(?:\W+{says})?|{article}{source}\W*{according})"
    here = rf"{one_of(language, 'here')}\W*\w+(?:\s\w+)?"
    before_comma = rf"(?:{one_of(language, 'note')}|{naming}|{here}){_COMMA}"
    says_that = rf"{article}{source}\W+{says}\W+{one_of(language, 'that')}\W*"
    opens = rf"{one_of(language, 'opens')}\W*"
    leading = rf"{_MARKS}(?:{before_comma}|{opens}|{says_that})"
    trailing = rf"{_COMMA}{naming}[.。۔\s]*\Z"
    return re.compile(leading, re.IGNORECASE), re.compile(trailing, re.IGNORECASE)
