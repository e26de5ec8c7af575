"""The labelled set is what it says it is, and every answer stands in its text."""

import json
from collections import Counter

from training.books import LABELLED, labelled_book
from training.statements import spans_of, statement_at


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (LABELLED / name).read_text("utf-8").splitlines()]


def plain(text: str) -> str:
    return " ".join(text.split())


def test_there_are_as_many_claims_and_questions_as_the_readme_says() -> None:
    claims, questions = lines("claims.jsonl"), lines("questions.jsonl")

    assert Counter(bool(one["true"]) for one in claims) == {True: 200, False: 200}
    assert Counter(one["kind"] for one in questions) == {
        "answered": 100,
        "near_miss": 60,
        "unanswered": 40,
    }
    assert len({one["claim"] for one in claims}) == len({one["question"] for one in claims}) == 400
    assert len({one["question"] for one in questions}) == 200


def test_the_evidence_of_every_claim_stands_in_its_text() -> None:
    texts = {path.name: plain(path.read_text("utf-8")) for path in LABELLED.glob("texts/*.md")}

    assert [
        one for one in lines("claims.jsonl") if plain(one["evidence"]) not in texts[one["text"]]
    ] == []


def test_every_answered_question_has_a_statement_and_no_other_has() -> None:
    book = labelled_book()

    for one in book.questions:
        assert bool(one.places) == (one.kind == "answered"), one.text
        for number, start in one.places:
            assert statement_at(spans_of(book.passages[number].text), start) is not None, one.text
