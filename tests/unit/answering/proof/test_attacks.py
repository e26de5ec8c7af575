"""No false claim of those that were written to get past the rules is proven."""

import pytest

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import read_statements
from tests.unit.answering.proof.attacks import ATTACKS

CLAIMS = [(title, text, claim) for title, text, claims in ATTACKS for claim in claims]


@pytest.mark.parametrize(("title", "text", "claim"), CLAIMS)
def test_a_false_claim_is_not_proven(title: str, text: str, claim: str) -> None:
    quotable = read_statements([Passage(1, text, Source("u", title, title), 1.0)])
    prover = Prover([one.statement for one in quotable], {1: title})

    assert prover.prove(claim) is None
    assert prover.proofs_of_parts(claim) == ()
