"""Says a question as other people type it: as keywords, without its mark, with a slip."""

from random import Random

KEYWORDS_SHARE = 0.12
UNMARKED_SHARE = 0.15
SLIP_SHARE = 0.06
_SMALL_TEXT = """
a an and are as at be by can could did do does for from had has have how i if in is it its me my of
on or our should so that the their them there these they this to use used using was we were what
when where which who why will with would you your
"""
_SMALL_WORDS = frozenset(_SMALL_TEXT.split())


def reworded(question: str, random: Random) -> str:
    """The question itself, most of the time."""
    drawn = random.random()
    if drawn < KEYWORDS_SHARE:
        return keywords(question)
    if drawn < KEYWORDS_SHARE + UNMARKED_SHARE:
        return question.rstrip("? ")
    if drawn < KEYWORDS_SHARE + UNMARKED_SHARE + SLIP_SHARE:
        return with_slip(question, random)
    return question


def keywords(question: str) -> str:
    """Its words with meaning; all of it if there are fewer than two."""
    kept = [word for word in question.rstrip("? ").split() if word.lower() not in _SMALL_WORDS]
    return " ".join(kept) if len(kept) >= 2 else question


def with_slip(question: str, random: Random) -> str:
    """Two neighbouring letters of a long word exchanged."""
    words = question.split()
    long = [place for place, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return question
    place = random.choice(long)
    word, at = words[place], random.randrange(1, len(words[place]) - 2)
    words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
