"""Tells what a book says beside its subject: changelogs, lists of what comes, literature, marks.

A changelog says what was new at the time, which may have changed since, in few words, which a
question nearly repeats. Learning objectives, further reading and what is to be handed in name what
the book tells of elsewhere. Who asks for such things gets them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sourcebook.answering.evidence import Passage, Section, by_number
from sourcebook.answering.statements import Quotable

# Of a passage's characters.
MOST = 0.6
# What numbers a heading, and what may stand after it.
_BEFORE = r"\A(?:(?:part|chapter|section|step)\b)?[\W\d_]{0,12}"
_AFTER = r"(?:[\W_]|\([^()]{0,40}\)){0,12}\Z"
# A version and its date: `0.10.3 (2012-02-20)`, `[1.2] - 2020-01-01`, `Scrapy 1.1 (unreleased)`.
_DATED = r"""\A(?:[\w.-]{1,30}\ ){0,2}\[?v?\d{1,4}(?:\.\d{1,4}){1,3}[\w.-]{0,12}\]?
    (?:\([^()\s]{1,200}\))?[ ,:–—-]{1,3}\(?(?:released\ )?(?:on\ )?
    (?:\d{4}-\d\d|[a-z]{3,9}\.?\ \d{1,2}\w{0,2},?\ \d{4}|\d{1,2}\.?\ [a-z]{3,9}\.?\ \d{4}
    |unreleased)\b"""
_VERSION = re.compile(r"\b(?:v|version )?\d{1,3}\.\d{1,3}\b", re.IGNORECASE)
# A changelog names a version at once.
VERSION_WITHIN = 300


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the heading of such a text is, and who asks for it.

    A page that has it as its title is one as a whole, unless it is `of_section`. A `title` that may
    be one has to come with a version, at once; a `note` is one anywhere.
    """

    name: re.Pattern[str]
    asked: re.Pattern[str]
    title: re.Pattern[str] | None = None
    note: re.Pattern[str] | None = None
    of_section: bool = False

    def is_name(self, title: str, heading: str) -> bool:
        if self.of_section:
            return heading != title and self.name.search(heading) is not None
        return any(self.name.search(one) for one in (title, heading))

    def may_be_title(self, title: str) -> bool:
        return self.title is not None and self.title.search(title) is not None


_RELEASES = _Kind(
    name=re.compile(
        rf"""\A(?!\w{{1,20}}ing\b|automatic|how\b)(?:[\w.’'-]{{1,30}}\ ){{0,3}}
            (?:change\ ?log|release\ (?:notes?|history)|what['’]?s\ new)
            (?:\ (?:in|for|of)\b.*|:.*)?\Z
        | {_DATED}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    title=re.compile(
        r"\A(?:changes|(?:release )?news|release updates|releases"
        r"|(?:version|change) history(?: (?:for|of) .*)?)\Z",
        re.IGNORECASE,
    ),
    asked=re.compile(
        r"""\d\.\d | \bv(?:ersions?\ )?\d | \b[A-Z][a-z]+\ \d{1,3}\b | \bCVE-
        | (?i:\b(?:since|changed|change\ ?log|released|releases|added|dropped|deprecated
            |introduced|renamed|replaced|happened|fixed|upgrad\w+|migrat\w+|newest|latest|current
            |recent(?:ly)?|former(?:ly)?|still|any\ ?more|no\ longer|used\ to|backwards?|history)\b
        | \bchanges\ (?:in|since|between)\b | \b(?:was|were|been|got)\ removed\b
        | \b(?:known|fixed|old)\ bugs?\b | \bnew\ (?:in|with)\b | \bwhat(?:['’]s|\ is)\ new\b
        | \bwhich\ versions?\ (?!of\b) | \b(?:which|what)\ release\b
        | \bwhen\ (?:was|were|did)\b | \bwhen\ (?:will|is)\b.{1,60}\b(?:released|due|out)\b)""",
        re.VERBOSE,
    ),
    # What was deprecated or removed is so now.
    note=re.compile(
        r"\W{0,4}(?:changed|new|added|updated|modified|introduced)\b.{0,3}"
        r" (?:in|since)\b.{0,3} (?:(?:version |release |v)\d|\d{1,3}\.\d)",
        re.IGNORECASE,
    ),
)
_ANNOUNCEMENTS = _Kind(
    name=re.compile(
        rf"""{_BEFORE}(?:
          (?:learning|lesson|course|module|chapter)\ (?:objectives|outcomes|goals)
        | what\ you(?:['’]ll|\ will)\ (?:learn|build)
        | next\ (?:lessons?|steps?|chapters?|modules?|sections?|up)
        | what['’]?s\ next | what\ comes\ next | up\ next
        | table\ of\ contents | in\ this\ (?:chapter|section|lesson|module|guide)
        ){_AFTER}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    asked=re.compile(
        r"\b(?:learn\w*|objectives?|outcomes?|goals?|next|contents?|cover(?:s|ed)?|taught|teach\w*"
        r"|about|after)\b",
        re.IGNORECASE,
    ),
    # "Next steps" is also what a second tutorial is called.
    of_section=True,
)
_LITERATURE = _Kind(
    name=re.compile(
        rf"""{_BEFORE}(?:
          references|bibliography|works\ cited|see\ also|acknowledge?ments?
        | (?:further|additional|recommended|suggested|related|more|external|useful)
          \ (?:reading|references|resources?|links|pages|topics|information|materials?)
        ){_AFTER}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    asked=re.compile(
        r"\b(?:references?|read(?:ing)?|literature|papers?|articles?|books?|links?|resources?"
        r"|sources?|materials?|videos?|podcasts?|cite[sd]?|citations?|authors?|acknowledg\w+"
        r"|find|where|websites?|sites?|communit\w+|who|whom)\b",
        re.IGNORECASE,
    ),
)
_MARKS = _Kind(
    name=re.compile(
        rf"""{_BEFORE}(?:grading|grad(?:e|ing)\ (?:breakdown|rubric|criteria)
        | (?:evaluation\ |assessment\ |scoring\ )?rubric|academic\ integrity){_AFTER}
        | \(\d{{1,3}}\ ?(?:points|pts|marks|%)\)\Z""",
        re.IGNORECASE | re.VERBOSE,
    ),
    asked=re.compile(
        r"\b(?:deliver\w*|submi\w+|hand(?:ed)? in|due|deadline|grad(?:e[sd]?|ing)|points?|marks?"
        r"|assess\w*|assignments?|rubric|criteria|score[sd]?|integrity|cheat\w*|plagiari\w+|late"
        r"|pass(?:ed|ing)?|fail(?:ed|ing)?|project|exams?|require\w*|need|allowed|ai)\b",
        re.IGNORECASE,
    ),
    of_section=True,
)
_KINDS = (_RELEASES, _ANNOUNCEMENTS, _LITERATURE, _MARKS)


class SideMatter:
    """What is beside the subject, but for what a question asks for."""

    def __init__(self, question: str) -> None:
        self._kinds = [kind for kind in _KINDS if not kind.asked.search(question)]

    def holds(self, passage: Passage) -> bool:
        """Whether most of a passage is beside the subject."""
        source = passage.source
        sections = source.sections or (Section(0, source.heading, source.url),)
        starts = [0, *(one.start for one in sections[1:]), len(passage.text)]
        beside = sum(
            after - start
            for one, (start, after) in zip(sections, pairwise(starts), strict=True)
            if self._is_named(passage, one.heading)
        )
        return beside > MOST * len(passage.text)

    def holds_at(self, passage: Passage, offset: int) -> bool:
        """Whether what stands there in a passage is beside the subject."""
        return self._is_named(passage, passage.source.section_at(offset).heading)

    def places(self, passages: Sequence[Passage], quotable: Sequence[Quotable]) -> frozenset[int]:
        """The places of the statements that are beside the subject."""
        known = by_number(passages)
        return frozenset(
            place
            for place, one in enumerate(quotable)
            if self._is_note(one)
            or self.holds_at(known[one.statement.passage], one.statement.start)
        )

    def _is_note(self, one: Quotable) -> bool:
        return any(kind.note and kind.note.match(one.statement.text) for kind in self._kinds)

    def _is_named(self, passage: Passage, heading: str) -> bool:
        title = passage.source.title
        if any(kind.is_name(title, heading) for kind in self._kinds):
            return True
        opening = f"{title} {heading} {passage.text[:VERSION_WITHIN]}"
        may_be = any(kind.may_be_title(title) for kind in self._kinds)
        return may_be and _VERSION.search(opening) is not None
