"""Tells what is said of earlier releases: changelogs, and notes such as "Changed in version 2.4".

They say what was new at the time, which may have changed since, and in few words, which a question
nearly repeats.
"""

import re
from collections.abc import Sequence

from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.statements import Quotable

_PAGE_OF_RELEASES = re.compile(
    r"""\b(?:change\ ?logs?|(?:release|version|change)\ history|release\ notes?|what['’]?s\ new)\b
    | \A(?:changes|(?:release\ )?news|release\ updates|releases)\Z""",
    re.IGNORECASE | re.VERBOSE,
)
# A version and its date: `0.10.3 (2012-02-20)`, `Scrapy 1.1.0 (unreleased)`.
_HEADING_OF_RELEASE = re.compile(
    r"(?:[\w.-]{1,30} ){0,2}v?\d{1,4}(?:\.\d{1,4}){1,3}[\w.-]{0,12}[ ,:–—-]{1,3}"
    r"\(?[^()]{0,20}\b(?:(?:19|20)\d\d|unreleased)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\W{0,4}(?:changed|new|added|deprecated|removed|updated|modified|introduced)\b.{0,3}"
    r" (?:in|since)\b.{0,3} (?:version |release )?v?\d",
    re.IGNORECASE,
)
_ABOUT_RELEASES = re.compile(
    r"""\d\.\d
    | \b(?:since|change[sd]?|change\ ?log|released?|releases|added|removed|dropped|deprecated
        |introduced|fixed|upgrad\w+|migrat\w+|newest|latest|recent(?:ly)?|former(?:ly)?|still
        |any\ ?more|no\ longer|used\ to|backwards?|history|bugs?)\b
    | \bnew\ (?:in|with)\b | \bwhat(?:['’]s|\ is)\ new\b
    | \b(?:which|what)\ (?:version|release)\b | \bwhen\ (?:was|were|did|will|is)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_about_releases(question: str) -> bool:
    """Whether a question may be about what has changed from one release to another."""
    return _ABOUT_RELEASES.search(question) is not None


def is_of_release(passage: Passage, offset: int = 0) -> bool:
    """Whether what stands there in a passage tells of one release."""
    source = passage.source
    names = (source.title, source.section_at(offset).heading)
    return any(_PAGE_OF_RELEASES.search(name) for name in names) or any(
        _HEADING_OF_RELEASE.match(name) for name in names
    )


def told_of_releases(passages: Sequence[Passage], quotable: Sequence[Quotable]) -> frozenset[int]:
    """The places of the statements that tell of one release."""
    known = by_number(passages)
    return frozenset(
        place
        for place, one in enumerate(quotable)
        if _NOTE.match(one.statement.text)
        or is_of_release(known[one.statement.passage], one.statement.start)
    )
