"""Tells what says nothing by itself: it is denied or limited by what leads to it, or is spoken."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sourcebook.text.languages import language_of
from sourcebook.text.segments import Segment, SegmentKind
from sourcebook.text.word_files import limits, pattern_of

# What takes back all that stands under it: `Common misconceptions`, `Deprecated`.
_TAKEN_BACK = (
    r"false|incorrect|untrue|wrong|myths?|misconceptions?|fallac(?:y|ies)|rumou?rs?|unless"
    r"|deprecated|removed|obsolete|reject(?:s|ed)?|hypothes[ei]s|counterexamples?|planned|proposed"
    r"|allegations?|used to be"
)
_TAKING_BACK = re.compile(rf"\b(?:{_TAKEN_BACK})\b", re.IGNORECASE)
# What introduces a list and may deny or limit what its items say: `You must not:`, `On Linux:`.
_GOVERNING = re.compile(
    rf"\b(?:{_TAKEN_BACK}|not|never|no|cannot|without|except|if|when|only|avoid|before|after)\b"
    r"|n['’]t\b|^(?:in|for|on|during|under|with|at)\b(?! (?:example|instance|short|addition)\b)",
    re.IGNORECASE,
)
# The same, but as a heading it only names: `Opponents argue:`, `Possible causes:`, `Children:`.
_GOVERNING_WITH_COLON = re.compile(
    r"\b(?:argu(?:e|es|ed)|claim(?:s|ed)?|alleg(?:e|es|ed)|promis(?:e|es|ed)|possible|cases?"
    r"|happens?|exclu(?:de|des|ded|sion|sions)|require(?:s|d|ments?)|criteria|risks?|signs|symptoms"
    r"|differently|formerly|children|adults|patients|users)\b",
    re.IGNORECASE,
)
_OPENING_QUOTE = re.compile(r"(?<![^\s(])[\"“](?=\w)")
_CLOSING_QUOTE = re.compile(r"(?<=[\w.,!?…])[\"”]")
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]*_]*\Z")
DEEPEST_LEVEL = 7
# So many segments tell the language of a text.
MAX_READ = 50
# So far the end of what somebody says is looked for.
MAX_SPOKEN = 50
# What has cells, and may stand under a sentence as items do.
CELLS: frozenset[SegmentKind] = frozenset({"row", "definition"})
# What introduces nothing, and ends no list that it stands in.
NO_LEADS: frozenset[SegmentKind] = CELLS | {"header", "code"}


def with_governed(segments: Sequence[Segment]) -> Iterator[Segment]:
    """The segments of a text; those that say nothing by themselves are governed."""
    silent = {*_spoken(segments), *_taken_back(segments), *_governed(segments)}
    for place, one in enumerate(segments):
        yield replace(one, is_governed=True) if place in silent else one


def _governed(segments: Sequence[Segment]) -> Iterator[int]:
    """The places that have a `governing_lead`; going back for each takes too long."""
    above: list[tuple[Segment, bool]] = []
    for place, one in enumerate(segments):
        if one.kind in NO_LEADS:
            if one.kind in CELLS and above and above[-1][1]:
                yield place
            continue
        if not one.is_of_list and not _is_under_heading(segments, place):
            above = []
        # What a less indented item ends, no later one is under.
        while above and is_beside(above[-1][0], one):
            above.pop()
        is_governed = bool(above) and above[-1][1]
        if is_governed:
            yield place
        above.append((one, is_governed or may_govern(one)))


def denied_rows(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Where rows begin that the header of their table denies or limits, and where that begins."""
    header: Segment | None = None
    for one in segments:
        if one.kind == "header":
            header = one
        elif one.kind != "row" or (header and header.table != one.table):
            header = None
        elif header and (_GOVERNING.search(header.shown) or limits(header.shown)):
            yield one.start, header.start


def is_beside(one: Segment, other: Segment) -> bool:
    """Whether an item is not over another one."""
    return one.is_of_list and other.is_of_list and one.margin >= other.margin


def may_govern(lead: Segment) -> bool:
    """Whether a heading or a leader may deny or limit what stands under it."""
    text = lead.shown
    if not leads_on(text):
        # `Never carry these` before a list is as good as with a colon.
        names = lead.kind == "heading" or (lead.kind == "prose" and not is_ended(text))
        return names and (_GOVERNING.search(text) is not None or limits(text))
    governing = any(words.search(text) for words in (_GOVERNING, _GOVERNING_WITH_COLON))
    return governing or limits(text)


def _taken_back(segments: Sequence[Segment]) -> Iterator[int]:
    """The places of statements under a heading that takes them back, and under its own headings.

    What names a whole page takes back only what stands directly under it.
    """
    level: int | None = None
    # A heading alone is too short to tell its language.
    language = language_of(" ".join(one.shown for one in segments[:MAX_READ]))
    untrue = pattern_of(language, "untrue")
    for place, one in enumerate(segments):
        if one.kind != "heading":
            if level is not None:
                yield place
        elif level is None or not level < one.depth:
            is_deep = one.depth > 1
            takes_back = any(words.search(one.shown) for words in (_TAKING_BACK, untrue))
            level = (one.depth if is_deep else DEEPEST_LEVEL) if takes_back else None


def _spoken(segments: Sequence[Segment]) -> Iterator[int]:
    """The places of statements that stand in quotation marks, alone or with their neighbours."""
    opened = 0
    for place, one in enumerate(segments):
        text = one.shown
        first = _OPENING_QUOTE.match(text)
        closing = _CLOSING_QUOTE.search(text)
        if opened > place or (first and (closing is None or closing.end() == len(text))):
            yield place
        left = len(_OPENING_QUOTE.findall(text)) > len(_CLOSING_QUOTE.findall(text))
        if left and opened <= place:
            # As far as it is closed; marks that nothing closes are inches.
            later = range(place + 1, min(len(segments), place + MAX_SPOKEN))
            closes = (at for at in later if _CLOSING_QUOTE.search(segments[at].shown))
            opened = next(closes, -1) + 1


def _is_under_heading(segments: Sequence[Segment], place: int) -> bool:
    """Whether a heading stands directly under another one."""
    two = segments[max(place - 1, 0) : place + 1]
    return len(two) > 1 and {one.kind for one in two} == {"heading"}


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does; a line of a list or a title does not."""
    return _ENDED.search(text) is not None


def leads_on(text: str) -> bool:
    """Whether a text ends with a colon, so that something comes after it."""
    return text.rstrip("*_ ").endswith((":", "："))
