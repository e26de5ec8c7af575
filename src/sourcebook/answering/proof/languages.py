"""Tells English from other languages: the rules of proof know nothing else."""

import re

from sourcebook.search.words import language_of, telling_words

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_TEXT = """
a an and are as at be by can do does for from has have how if in into is it its may must no not of
on only or should than that the their then there they this to was were when which will with you
your
"""
# Words that English has too, such as `per` and `plus`, are not among them.
_FOREIGN_TEXT = """
aan aber al alle als auf aus avec bei bir che como con cuando dal dans das de dei del della dem den
der des det di die dit du ein eine einer el ele ella elle en er es essere est et fra für gli han het
ich il ils ist je kein la las le les lo los mais mehr mit nach naar nicht nous och om ona os ou para
parce pas pour por que qui sein si sich sie som sont sur sus tot tres um una und une uma van ve voor
vous wenn wie wird wir y zijn zu zum zur
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_FOREIGN = frozenset(_FOREIGN_TEXT.split())
MAX_OTHER_LETTERS = 0.1


def is_english(text: str) -> bool:
    """Whether a sentence looks like English; short ones without small words do."""
    letters = "".join(_WORD.findall(text))
    other = sum(not letter.isascii() for letter in letters)
    if other > MAX_OTHER_LETTERS * len(letters):
        return False
    words = telling_words(text)
    english = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    return foreign <= english and language_of(text) == "english"
