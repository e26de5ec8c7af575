"""Every sentence of the sample book proves itself, and nothing that one change makes of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sourcebook.samples
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement
from sourcebook.text.segments import split_segments

BOOK = Path(sourcebook.samples.__file__).parent / "book"
CONTRARIES = (
    ("before", "after"),
    ("until", "unless"),
    ("if", "unless"),
    ("when", "until"),
    ("all", "some"),
    ("every", "some"),
    ("always", "never"),
    ("never", "always"),
    ("must", "may"),
    ("can", "must"),
    ("may", "must"),
    ("first", "last"),
    ("more", "less"),
    ("less", "more"),
    ("with", "without"),
    ("without", "with"),
    ("open", "close"),
    ("left", "right"),
    ("start", "stop"),
    ("fast", "slow"),
    ("faster", "slower"),
    ("small", "large"),
    ("large", "small"),
    ("high", "low"),
    ("and", "or"),
    ("from", "to"),
    ("only", "also"),
    ("real", "simulated"),
    ("above", "below"),
    ("inside", "outside"),
    ("old", "new"),
    ("because", "although"),
    ("on", "off"),
)
DENIED = re.compile(r"\b(is|are|was|were|can|must|may|should|does|do|has|will)\b(?! not)")
NUMBER = re.compile(r"(?<![\w.`/])\d+(?:\.\d+)?(?![\w`])")


def sentences() -> Iterator[str]:
    for page in sorted(BOOK.rglob("*.md")):
        text = page.read_text(encoding="utf-8").split("---", 2)[2]
        for piece in split_segments(text):
            if piece.kind in {"prose", "item"}:
                yield text[piece.start : piece.end]


def changed(sentence: str) -> Iterator[str]:
    """The sentence with one word, figure or negation made another."""
    for one, other in CONTRARIES:
        if re.search(rf"\b{one}\b", sentence):
            yield re.sub(rf"\b{one}\b", other, sentence, count=1)
    for found in NUMBER.finditer(sentence):
        yield f"{sentence[: found.start()]}9{found[0]}{sentence[found.end() :]}"
    denied = DENIED.search(sentence)
    if denied:
        yield f"{sentence[: denied.end()]} not{sentence[denied.end() :]}"
    if " not " in sentence:
        yield sentence.replace(" not ", " ", 1)


@pytest.fixture(scope="module")
def book() -> list[str]:
    return list(sentences())


def proves(evidence: str, claim: str) -> bool:
    return Prover([Statement(1, 0, len(evidence), evidence)]).prove(claim) is not None


def test_every_sentence_of_the_book_proves_itself(book: list[str]) -> None:
    said = [one for one in book if "?" not in one]
    assert len(said) > 300
    assert [one for one in said if not proves(one, one)] == []


def test_no_sentence_proves_what_one_change_makes_of_it(book: list[str]) -> None:
    pairs = [(one, other) for one in book[::2] for other in changed(one)]
    assert len(pairs) > 300
    assert [pair for pair in pairs if proves(*pair)] == []


def test_a_sentence_proves_itself_with_a_harmless_opening(book: list[str]) -> None:
    said = [one for one in book if "?" not in one and one[:4] in {"The ", "Wren", "A ro"}]
    openings = ("Note that ", "According to the documentation, ", "The text says that ")
    claims = [(one, opening + one[0].lower() + one[1:]) for one in said for opening in openings]
    assert claims
    assert [pair for pair in claims if not proves(*pair)] == []
