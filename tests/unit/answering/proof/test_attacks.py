"""No false claim is proven: of those that were written to get past rules, and of those that differ
from a true one in one respect."""

import json
from collections.abc import Iterator
from pathlib import Path

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement, read_statements

HERE = Path(__file__).parent


def rows(name: str) -> Iterator[dict[str, list[str]]]:
    for line in HERE.joinpath(name).read_text("utf-8").splitlines():
        yield json.loads(line)


def of_sentences(texts: list[str]) -> Prover:
    return Prover([Statement(1, 0, len(text), text) for text in texts])


def of_passage(title: str, text: str) -> Prover:
    quotable = read_statements([Passage(1, text, Source("u", title, title), 1.0)])
    return Prover([one.statement for one in quotable])


def test_no_attack_proves_anything() -> None:
    tried, proven = 0, []
    for row in rows("attacks.jsonl"):
        prover = of_passage(str(row["title"]), str(row["text"]))
        tried += len(row["claims"])
        proven += [(row["text"], claim) for claim in row["claims"] if prover.prove(claim)]

    assert proven == []
    assert tried > 2_000


def test_what_only_looks_alike_is_not_proven_and_what_says_the_same_is() -> None:
    wrong = []
    for row in rows("claims.jsonl"):
        prover = of_sentences(row["evidence"])
        wrong += [claim for claim in row["false"] if prover.prove(claim)]
        wrong += [claim for claim in row["true"] if not prover.prove(claim)]

    assert wrong == []
