"""The words of a question: what it is about, and what points back at something said before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# `there` as in "Are special events held there?" and as in "Are there any benefits?".
_POINTER_TEXT = """
it its it's itself they them their theirs he him his she her hers this these those one ones both
there
"""
# A clause that begins so can refer to the clause before it.
_CLAUSE_OPENER_TEXT = "and or but since if because when while although though so"
_GRAMMAR_TEXT = """
a an the of in on at to for from with by as into onto over under through per via about around
between among within without during after before until than then nor whether versus vs that
is are was were be been being am do does did done doing has have had having can could will
would shall should may might must what what's which who whom whose who's where where's why how
how's here i me my mine you your yours we us our ours i'm i'd i've i'll let let's not no yes ok
okay please thanks thank great also too just only even still again yet very really actually now
today ever never always often usually generally originally don't doesn't didn't can't cannot
isn't aren't wasn't won't couldn't some any all each every many much more most few less least
several another other others same own such long hello hi hey
"""
_ASKING_TEXT = """
tell know explain describe give show say mean means talk discuss compare ask asking want need
like get getting find make makes made take takes use uses used using work works happen happens
happened help helps look looking go going come came start started become called known thing
things way ways kind kinds type types sort sorts example examples difference differences detail
details information question questions term good better best bad main common important
interesting different similar new first last next famous key
"""
_POINTERS = frozenset(_POINTER_TEXT.split())
_CLAUSE_OPENERS = frozenset(_CLAUSE_OPENER_TEXT.split())
_EMPTY = _CLAUSE_OPENERS.union(_GRAMMAR_TEXT.split(), _ASKING_TEXT.split())
_WORD = re.compile(r"[^\W_](?:[\w.\-+#/&'’]*[\w+#])?")
_SENTENCE_END = re.compile(r"[.!?:;\n]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question. `key` is what makes two words the same."""

    text: str
    key: str
    is_name: bool
    opens_clause: bool
    before_of: bool
    points_back: bool

    @property
    def has_content(self) -> bool:
        """Whether it says something about what the question is about."""
        return not self.points_back and self.key not in _EMPTY


def read_words(question: str) -> list[Word]:
    """The words of a question in order."""
    found = list(_WORD.finditer(question))
    keys = [_key(match[0]) for match in found]
    words = []
    previous_end = 0
    for number, (match, key) in enumerate(zip(found, keys, strict=True)):
        gap = question[previous_end : match.start()]
        previous_end = match.end()
        opens_sentence = number == 0 or _SENTENCE_END.search(gap) is not None
        is_last = number == len(found) - 1
        words.append(
            Word(
                text=match[0],
                key=key,
                is_name=_is_name(match[0], opens_sentence=opens_sentence),
                opens_clause=opens_sentence or "," in gap or key in _CLAUSE_OPENERS,
                before_of=not is_last and keys[number + 1] == "of",
                # Elsewhere than at the end, `that` mostly joins: "a warning that comes up".
                points_back=key in _POINTERS or (key == "that" and is_last),
            )
        )
    return words


def content_words(words: Sequence[Word]) -> list[Word]:
    """Those that say what a question is about."""
    return [word for word in words if word.has_content]


def _key(text: str) -> str:
    key = text.lower().replace("’", "'")
    if key in _POINTERS or key in _EMPTY:
        return key
    return key.removesuffix("'s")


def _is_name(text: str, *, opens_sentence: bool) -> bool:
    if len(text) == 1:
        return False
    if any(char.isdigit() for char in text) or any(char.isupper() for char in text[1:]):
        return True
    return text[0].isupper() and not opens_sentence
