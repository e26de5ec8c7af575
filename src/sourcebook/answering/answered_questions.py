"""Finds where a text asks the very question itself, and what it answers there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

from sourcebook.answering.evidence import Passage, by_number
from sourcebook.answering.statements import Quotable, governs
from sourcebook.answering.whole_statements import LISTED, introduces, list_after
from sourcebook.core.heading_questions import question_in
from sourcebook.search.words import content_words, read_words

# So many statements of an answer in the text.
MAX_ANSWER = 4
_TOLD = frozenset({"prose", "item"})
_LABELS = frozenset({"q", "question", "frage"})
_ARTICLES = frozenset({"a", "an", "the"})
# "(3) ", "2.1 ", "Q4: " before a question.
_NUMBER = re.compile(r"\s*+(?:\(?\d{1,3}(?:\.\d{1,3}){0,3}[.):]{0,2}|[QF]\d{1,3}[.):])\s++(?=\S)")
_HOW = re.compile(
    r"\W*how (?:to|(?:do|can|could|should|would|must) (?:i|you|we|one)|does one) (?P<task>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LISTING = re.compile(
    r"(?:please )?(?:(?:list|name|enumerate|show|give)(?: me)?(?: all| every)?|what are all)"
    r"(?: of)?(?: the| your| our)? (?P<things>.{2,80}?)[\s?.!]*+"
    r"|(?:what|which) (?P<those>.{2,80}?) (?:are|is) there[\s?.!]*+",
    re.IGNORECASE,
)
_EMPTY_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t>]*+[\r\n]")


def is_heading_with_answer(question: str, quotable: Sequence[Quotable]) -> bool:
    """Return whether a heading asks the question or names its task, and something follows it."""
    asked = _words(question)
    return bool(asked) and any(
        one.kind == "heading"
        and after.kind not in {"heading", "header"}
        and after.statement.passage == one.statement.passage
        and (_asked_in(one) == asked or _is_task(quotable, place, question))
        for place, (one, after) in enumerate(pairwise(quotable))
    )


def _is_task(quotable: Sequence[Quotable], place: int, question: str) -> bool:
    """Whether a heading names what a question asks how to do: `Connecting the gas`."""
    heading = quotable[place]
    asked = None if _is_under_denial(quotable, place) else _HOW.match(question)
    task = tuple(content_words(asked["task"])) if asked else ()
    return len(task) > 1 and tuple(content_words(heading.shown)) == task


def _is_under_denial(quotable: Sequence[Quotable], place: int) -> bool:
    """Whether a heading stands directly under one that may deny it: `Never do this`."""
    if place == 0:
        return False
    above, one = quotable[place - 1], quotable[place]
    is_above = above.kind == "heading" and above.statement.passage == one.statement.passage
    return is_above and governs(above)


def answers_in_text(
    question: str, passages: Sequence[Passage], quotable: Sequence[Quotable]
) -> frozenset[int]:
    """The places of what comes after the question in a list of questions and answers.

    Under a heading may stand a whole chapter: only a list or a table at its beginning is looked at.
    """
    asked, texts = _words(question), by_number(passages)
    return frozenset(
        answer
        for place, one in enumerate(quotable)
        if asked and one.is_question and one.kind in _TOLD and _words(one.shown) == asked
        for answer in _answer(quotable, place, texts[one.statement.passage].text)
    ).union(*_listed_answers(question, quotable))


def listed_answers(question: str, quotable: Sequence[Quotable]) -> Mapping[int, tuple[int, ...]]:
    """By place, the whole list that it is part of, if the text asks the question before that."""
    answers: dict[int, tuple[int, ...]] = {}
    for answer in _listed_answers(question, quotable):
        for place in answer:
            answers.setdefault(place, answer)
    return answers


def _listed_answers(question: str, quotable: Sequence[Quotable]) -> Iterator[tuple[int, ...]]:
    asked = _words(question)
    for place, one in enumerate(quotable):
        if not asked or one.kind not in {"heading", "prose"}:
            continue
        if _asked_in(one) == asked or (
            one.kind == "heading" and _is_task(quotable, place, question)
        ):
            yield list_after(quotable, place)
    yield from _lists_called(question, quotable)


def _lists_called(question: str, quotable: Sequence[Quotable]) -> Iterator[tuple[int, ...]]:
    """The list under the name of what is to be listed: "List all staff discounts".

    Or after a sentence that ends with it: "These are the staff discounts:". Nothing if several are
    called so; parts of a document that overlap have the same one twice.
    """
    found = _LISTING.fullmatch(" ".join(question.split()))
    things = content_words(found["things"] or found["those"]) if found else ()
    named = [
        (place, *block) if one.kind == "prose" else block
        for place, one in enumerate(quotable)
        if things
        and _is_called(one, things)
        and not _is_under_denial(quotable, place)
        and (block := list_after(quotable, place))
    ]
    if len({tuple(_listed(quotable, one)) for one in named}) == 1:
        yield named[0]


def _is_called(one: Quotable, things: Sequence[str]) -> bool:
    """Whether a heading has the name of these things, or a sentence leads to them."""
    if one.statement.is_governed or governs(one):
        return False
    if one.kind == "heading":
        return one.statement.content == frozenset(things)
    leads = one.kind == "prose" and introduces(one)
    return leads and content_words(one.shown)[-len(things) :] == tuple(things)


def _listed(quotable: Sequence[Quotable], places: Sequence[int]) -> Iterator[str]:
    """What a list says, without the sentences that lead to it."""
    return (quotable[place].shown for place in places if quotable[place].kind in LISTED)


def _answer(quotable: Sequence[Quotable], place: int, text: str) -> Iterator[int]:
    """The places of the paragraph after a question."""
    return islice(_paragraph_after(quotable, place, text), MAX_ANSWER)


def _paragraph_after(quotable: Sequence[Quotable], place: int, text: str) -> Iterator[int]:
    for at in range(place + 1, len(quotable)):
        before, one = quotable[at - 1].statement, quotable[at]
        is_next = one.statement.passage == before.passage and one.kind in _TOLD
        parted = at > place + 1 and _EMPTY_LINE.search(text, before.end, one.statement.start)
        if not is_next or one.is_question or parted:
            return
        yield at


def _asked_in(one: Quotable) -> tuple[str, ...]:
    """The words of a question in the text; a heading may ask without a question mark."""
    if one.kind == "heading":
        return _words(question_in(one.shown) or one.shown)
    return _words(one.shown) if one.is_question else ()


def _words(question: str) -> tuple[str, ...]:
    """What makes two questions the same: their words in order, without `Q:`, numbers and articles.

    Nothing if no word says what it is about: any text may ask "Why?".
    """
    number = _NUMBER.match(question)
    words = read_words(question[number.end() :] if number else question)
    first = 1 if words[:1] and words[0].text in _LABELS else 0
    if not any(word.kind == "content" for word in words[first:]):
        return ()
    return tuple(word.text for word in words[first:] if word.text not in _ARTICLES)
