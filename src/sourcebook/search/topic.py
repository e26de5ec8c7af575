"""What a follow-up question is about: its subject, found in the questions before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.search.subject_words import Word, content_words, read_words

# More would outweigh the question itself.
MOST_CARRIED_WORDS = 3
# "What are the main side effects?" asks about something said before; with more words of its own a
# question says what it is about.
MOST_WORDS_OF_AN_ELLIPSIS = 2


@dataclass(frozen=True, slots=True)
class Said:
    """One exchange so far."""

    question: str
    answer: str


def topic_of(earlier: Sequence[Said], message: str) -> str:
    """The text to search with for a follow-up; "" when there is nothing earlier.

    A message that stands on its own is its own topic. One that leans on what was said before is
    followed by the few words of the subject that it does not hold itself. Answers are not read.
    """
    if not earlier:
        return ""
    words = read_words(message)
    if not _leans_on_earlier(words):
        return message.strip()
    own = {word.key for word in words}
    subject = _subject([read_words(said.question) for said in earlier])
    carried = {word.key: word.text for word in subject if word.key not in own}
    return " ".join([message.strip(), *carried.values()])


def leans_on_earlier(message: str) -> bool:
    """Tell whether a message needs what was said before to be understood."""
    return _leans_on_earlier(read_words(message))


def _leans_on_earlier(words: Sequence[Word]) -> bool:
    content = content_words(words)
    if not content or _points_outside(words) or _opens_like_a_continuation(words):
        return True
    if any(word.is_name for word in content):
        return False
    is_definite = any(word.key == "the" for word in words)
    return is_definite and len(content) <= MOST_WORDS_OF_AN_ELLIPSIS


def _points_outside(words: Sequence[Word]) -> bool:
    """Whether a word points back and no earlier clause of the message has what it can mean."""
    seen_in_clause = seen_before = False
    for word in words:
        if word.opens_clause:
            seen_before = seen_before or seen_in_clause
        if word.points_back and not seen_before:
            return True
        seen_in_clause = seen_in_clause or word.has_content
    return False


def _opens_like_a_continuation(words: Sequence[Word]) -> bool:
    opening = [word.key for word in words[:2]]
    return opening[0] == "and" or opening in (["what", "about"], ["how", "about"])


def _subject(questions: Sequence[Sequence[Word]]) -> list[Word]:
    """What the latest question that stands on its own is about; the first counts as one."""
    subject: list[Word] = []
    for words in questions:
        content = content_words(words)
        if content and (not subject or not _leans_on_earlier(words)):
            subject = _most_telling(content)
    return subject


def _most_telling(content: Sequence[Word]) -> list[Word]:
    """Names first, then what comes first; of "the benefits of yoga" the yoga. In their order."""
    whole = [word for word in content if word.is_name or not word.before_of] or list(content)
    ranked = sorted(range(len(whole)), key=lambda place: not whole[place].is_name)
    return [whole[place] for place in sorted(ranked[:MOST_CARRIED_WORDS])]
