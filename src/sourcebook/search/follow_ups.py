"""Finds the subject of a follow-up question in the questions before it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.answers import Turn
from sourcebook.search.counterparts import ask_instead

# More would outweigh the question itself.
MAX_CARRIED_WORDS = 3
# "What are the main side effects?" asks about something said before; with more words of its own a
# question says what it is about.
MAX_ELLIPSIS_WORDS = 2
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
class QuestionWord:
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


def contextualized_topic(earlier: Sequence[Turn], message: str) -> str:
    """The text to search with for a follow-up; "" when there is nothing earlier.

    A message that stands on its own is its own topic. One that asks the same of something else is
    the question that it means. Any other that leans on what was said before is followed by the few
    words of the subject that it does not hold itself. Answers are not read.
    """
    if not earlier:
        return ""
    *questions, meant = _in_full([*(said.question for said in earlier), message])
    words = read_question(message)
    if meant != message or not _leans_on_earlier(words):
        return meant.strip()
    own = {word.key for word in words}
    subject = _subject([read_question(question) for question in questions])
    carried = {word.key: word.text for word in subject if word.key not in own}
    return " ".join([message.strip(), *carried.values()])


def _in_full(questions: Sequence[str]) -> list[str]:
    """The questions, with those in full that ask the one before of something else."""
    read: list[str] = []
    complete = ""
    again = False
    for question in questions:
        instead = ask_instead(complete, question, again=again)
        again = instead is not None
        meant = instead or question
        is_complete = not read or not _leans_on_earlier(read_question(meant))
        complete = meant if is_complete else ""
        read.append(meant)
    return read


def is_follow_up(message: str) -> bool:
    """Return whether a message cannot be understood without what was said before."""
    return _leans_on_earlier(read_question(message))


def points_back(message: str) -> bool:
    """Return whether a message points to what was said before; "What are the effects?" does not."""
    return _points_back(read_question(message))


def _points_back(words: Sequence[QuestionWord]) -> bool:
    return not content_words(words) or _points_outside(words) or _opens_like_a_continuation(words)


def _leans_on_earlier(words: Sequence[QuestionWord]) -> bool:
    if _points_back(words):
        return True
    content = content_words(words)
    if any(word.is_name for word in content):
        return False
    is_definite = any(word.key == "the" for word in words)
    return is_definite and len(content) <= MAX_ELLIPSIS_WORDS


def _points_outside(words: Sequence[QuestionWord]) -> bool:
    """Whether a word points back and no earlier clause of the message has what it can mean."""
    seen_in_clause = seen_before = False
    for word in words:
        if word.opens_clause:
            seen_before = seen_before or seen_in_clause
        if word.points_back and not seen_before:
            return True
        seen_in_clause = seen_in_clause or word.has_content
    return False


def _opens_like_a_continuation(words: Sequence[QuestionWord]) -> bool:
    opening = [word.key for word in words[:2]]
    return opening[0] == "and" or opening in (["what", "about"], ["how", "about"])


def _subject(questions: Sequence[Sequence[QuestionWord]]) -> list[QuestionWord]:
    """What the latest question that stands on its own is about; the first counts as one."""
    subject: list[QuestionWord] = []
    for words in questions:
        content = content_words(words)
        if content and (not subject or not _leans_on_earlier(words)):
            subject = _most_telling(content)
    return subject


def _most_telling(content: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Names first, then what comes first; of "the benefits of yoga" the yoga. In their order."""
    whole = [word for word in content if word.is_name or not word.before_of] or list(content)
    ranked = sorted(range(len(whole)), key=lambda place: not whole[place].is_name)
    return [whole[place] for place in sorted(ranked[:MAX_CARRIED_WORDS])]


def read_question(question: str) -> list[QuestionWord]:
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
            QuestionWord(
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


def content_words(words: Sequence[QuestionWord]) -> list[QuestionWord]:
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
