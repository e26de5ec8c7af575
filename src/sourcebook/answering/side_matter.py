"""Tells what a book says beside its subject: changelogs, lists of what comes, literature, marks.

A changelog says what was new at the time, which may have changed since, in few words, which a
question nearly repeats. Learning objectives, further reading and what is to be handed in name what
the book tells of elsewhere. Who asks for such things gets them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.statements import Quotable

# Of a passage's characters.
MOST = 0.6
# What numbers a heading, and what may stand after it.
_BEFORE = r"\A(?:(?:part|chapter|section|step)\b)?[\W\d_]{0,12}"
_AFTER = r"(?:[\W_]|\([^()]{0,40}\)){0,12}\Z"
# A version and its date: `0.10.3 (2012-02-20)`, `[1.2] - 2020-01-01`, `Scrapy 1.1 (unreleased)`;
# not `5.3 May 8, 1945`.
_DAY = r"[a-z]{3,9}\.?\ \d{1,2}\w{0,2},?\ \d{4}|\d{1,2}\.?\ [a-z]{3,9}\.?\ \d{4}"
_DATED = rf"""\A(?!(?:lectures?|lessons?|weeks?|days?|sessions?|units?|modules?|chapters?|sections?
        |parts?|figures?|tables?|steps?)\b)
    (?:[\w.-]{{1,30}}\ ){{0,2}}\[?v?\d{{1,4}}(?:\.\d{{1,4}}){{1,3}}[\w.-]{{0,12}}\]?
    (?:\([^()\s]{{1,200}}\))?
    (?: \ (?:released\ (?:on\ )?)?(?:\d{{4}}-\d\d-\d\d|unreleased)
      | (?:[,:]\ |\ [–—-]{{1,2}}\ |\ ?\()(?:released\ )?(?:on\ )?
        (?:\d{{4}}-\d\d(?:-\d\d)?|{_DAY}|unreleased)\)?
    )(?:\ \[yanked\])?\W{{0,5}}\Z"""
# What a page begins with.
OPENING = 1_000


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the heading of such a text is, and who asks for it.

    A page that has it as its title is one as a whole, unless it is `of_section`. What only `may_be`
    its name has to be followed by what such a text `shows`; a `note` is one anywhere.
    """

    name: re.Pattern[str]
    asked: re.Pattern[str]
    may_be: re.Pattern[str] | None = None
    shows: re.Pattern[str] | None = None
    note: re.Pattern[str] | None = None
    of_section: bool = False

    def is_of(self, title: str, heading: str, text: str) -> bool:
        names = [title, heading]
        if self.of_section:
            names = [heading] if heading != title else []
        if any(map(self.name.search, names)):
            return True
        if self.may_be is None or self.shows is None or not any(map(self.may_be.search, names)):
            return False
        return self.shows.search(f"# {title}\n# {heading}\n{text[:OPENING]}") is not None


# What was deprecated or removed is so now.
_RELEASE_NOTE = re.compile(
    r"\W{0,4}(?:changed|new|added|updated|modified|introduced)\b.{0,3} (?:in|since)\b.{0,3}"
    r" (?:(?:version |release |v)\d|\d{1,3}(?:\.\d{1,3}){1,2}(?:[.,:;)*_]|\s*\Z))",
    re.IGNORECASE,
)
_RELEASES = _Kind(
    name=re.compile(
        rf"""\A(?!\w{{1,20}}ing\b|automatic|how\b)(?:[\w.’'-]{{1,30}}\ ){{0,3}}
            (?:change\ ?log|release\ (?:notes?|history)|what['’]?s\ new)
            (?:\ (?:in|for|of)\b.*|:.*)?\Z
        | {_DATED}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    may_be=re.compile(
        r"\A(?:changes|(?:release )?news|release updates|releases"
        r"|(?:version|change) history(?: (?:for|of) .*)?)\Z",
        re.IGNORECASE,
    ),
    # Its headings name versions.
    shows=re.compile(
        r"^(?:\#{1,6}[ \t]|\*\*|\[)[^\r\n]{0,40}?\b(?:v|version[ ])?\d{1,3}\.\d"
        r"|^[^\r\n]{0,40}\d\.\d[^\r\n]{0,40}\r?\n[=~^-]{3}",
        re.IGNORECASE | re.MULTILINE,
    ),
    asked=re.compile(
        r"""\d\.\d | \b[vV](?:ersions?\ )?\d | \b[A-Z][a-z]+\ \d{1,3}\b | \bCVE-
        | (?i:\b(?:since|changed|change\ ?log|released|releases|added|dropped|deprecated
            |introduced|renamed|replaced|happened|fixed|upgrad\w+|migrat\w+|newest|latest|current
            |recent(?:ly)?|former(?:ly)?|still|any\ ?more|no\ longer|used\ to|backwards?|history)\b
        | \bchanges\ (?:in|since|between)\b | \b(?:breaking|recent|api)\ changes\b
        | \brelease\ notes?\b | \b(?:next|coming)\ (?:release|version)\b | \bfixes\b
        | \bnew\ (?:\w{1,20}\ )?features?\b | \b(?:was|were|been|got)\ removed\b
        | \b(?:known|fixed|old)\ bugs?\b | \bnew\ (?:in|with)\b | \bwhat(?:['’]s|\ is)\ new\b
        | \bwhich\ versions?\ (?!of\b) | \b(?:which|what)\ release\b
        | \bwhen\ (?:was|were|did)\b | \bwhen\ (?:will|is)\b.{1,60}\b(?:released|due|out)\b)""",
        re.VERBOSE,
    ),
    note=_RELEASE_NOTE,
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
          bibliography|works\ cited|see\ also|(?:further|additional|recommended|suggested)\ reading
        ){_AFTER}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    # A language has references, too.
    may_be=re.compile(
        rf"""{_BEFORE}(?:
          references|related\ (?:pages|topics)
        | (?:further|additional|recommended|suggested|related|more|external|useful)
          \ (?:references|resources?|links|materials?)
        ){_AFTER}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    shows=re.compile(
        r"https?://|\]\(|\bdoi\b|\bet al\b|\((?:19|20)\d\d[a-z]?\)|, (?:19|20)\d\d\b",
        re.IGNORECASE,
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
        | \(\d{{1,3}}\ ?(?:points|pts|marks)\)\Z""",
        re.IGNORECASE | re.VERBOSE,
    ),
    asked=re.compile(
        r"\b(?:deliver\w*|submi\w+|hand(?:ed)? in|due|deadline|grad(?:e[sd]?|ing)|points?|marks?"
        r"|assess\w*|assignments?|rubric|criteria|score[sd]?|integrity|cheat\w*|plagiari\w+|late"
        r"|pass(?:ed|ing)?|fail(?:ed|ing)?|project|exams?|quiz(?:zes)?|tests?|homework|require\w*"
        r"|need|must|have to|allowed|mandatory|optional|attend\w*|partners?|teams?|groups?"
        r"|collaborat\w*|together|worth|weigh\w*|counts?|percent\w*|ai|chatgpt|copilot)\b",
        re.IGNORECASE,
    ),
    of_section=True,
)
_KINDS = (_RELEASES, _ANNOUNCEMENTS, _LITERATURE, _MARKS)


def is_release_note(text: str) -> bool:
    """Whether a statement says what some release has brought: `New in version 1.4`."""
    return _RELEASE_NOTE.match(text) is not None


class SideMatter:
    """What is beside the subject, but for what a question asks for.

    What that is, is told by English words.
    """

    def __init__(self, question: str) -> None:
        known = _KINDS if is_english(question) else ()
        self._kinds = [kind for kind in known if not kind.asked.search(question)]

    def holds(self, passage: Passage) -> bool:
        """Whether most of a passage is beside the subject."""
        beside = sum(
            span.end - span.start
            for section, span in passage.sections()
            if self._is_named(passage, section.heading)
        )
        return beside > MOST * len(passage.text)

    def holds_at(self, passage: Passage, offset: int) -> bool:
        """Whether what stands there in a passage is beside the subject."""
        return self._is_named(passage, passage.source.section_at(offset).heading)

    def places(self, passages: Sequence[Passage], quotable: Sequence[Quotable]) -> frozenset[int]:
        """The places of the statements that are beside the subject."""
        known = by_number(passages)
        # Most statements stand under the same few headings.
        is_named: dict[tuple[int, str], bool] = {}
        places: set[int] = set()
        for place, one in enumerate(quotable):
            passage = known[one.statement.passage]
            heading = passage.source.section_at(one.statement.start).heading
            key = passage.number, heading
            if key not in is_named:
                is_named[key] = self._is_named(passage, heading)
            if is_named[key] or self._is_note(one):
                places.add(place)
        return frozenset(places)

    def _is_note(self, one: Quotable) -> bool:
        return any(kind.note and kind.note.match(one.statement.text) for kind in self._kinds)

    def _is_named(self, passage: Passage, heading: str) -> bool:
        title = passage.source.title
        return any(kind.is_of(title, heading, passage.text) for kind in self._kinds)
