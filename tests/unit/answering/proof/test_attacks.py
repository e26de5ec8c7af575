"""No false claim of those that were written to get past the rules is proven."""

import json
from pathlib import Path

import pytest

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import read_statements

ATTACKS = Path(__file__).with_name("attacks.jsonl").read_text(encoding="utf-8").splitlines()
CLAIMS = [
    (attack["title"], attack["text"], claim)
    for attack in map(json.loads, ATTACKS)
    for claim in attack["claims"]
]


@pytest.mark.parametrize(("title", "text", "claim"), CLAIMS)
def test_a_false_claim_is_not_proven(title: str, text: str, claim: str) -> None:
    quotable = read_statements([Passage(1, text, Source("u", title, title), 1.0)])
    prover = Prover([one.statement for one in quotable], {1: title})

    assert prover.prove(claim) is None
    assert prover.proofs_of_parts(claim) == ()
