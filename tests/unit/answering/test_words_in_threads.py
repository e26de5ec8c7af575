"""Words are read the same whoever else reads at the time."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sourcebook.answering import words
from sourcebook.answering.words import read_words

THREADS = 8
# Words that no other test has read, so that none is remembered.
TEXTS = [
    " ".join(f"{chr(97 + place % 26)}{'xyzw'[number % 4] * number}{ending}" for number in range(40))
    for place, ending in enumerate(["ations", "ing", "fulness", "ly", "ies", "ed", "ousness"] * 4)
]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that give way to one another all the time."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before_s)


@pytest.mark.usefixtures("hasty")
def test_words_that_are_read_in_many_threads_at_once_are_read_as_in_one() -> None:
    words._read.cache_clear()
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(read_words, TEXTS))
    words._read.cache_clear()

    assert together == [read_words(text) for text in TEXTS]
