"""What a language model makes of a passage: true claims that are proven, and near misses."""

import json
from pathlib import Path

import pytest

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import read_statements

LINES = Path(__file__).with_name("paraphrases.jsonl").read_text(encoding="utf-8").splitlines()
CLAIMS = [
    (row["title"], row["text"], claim, kind == "true")
    for row in map(json.loads, LINES)
    for kind in ("true", "false")
    for claim in row[kind]
]


@pytest.mark.parametrize(("title", "text", "claim", "true"), CLAIMS)
def test_a_claim_is_proven_if_it_is_true(title: str, text: str, claim: str, true: bool) -> None:
    quotable = read_statements([Passage(1, text, Source("u", title, title), 1.0)])
    prover = Prover([one.statement for one in quotable], {1: title})
    proven = prover.prove(claim) is not None or prover.proofs_of_parts(claim) != ()

    assert proven == true


def test_most_of_the_claims_are_near_misses() -> None:
    assert sum(not true for *_, true in CLAIMS) > sum(true for *_, true in CLAIMS)
