"""The claims written as a language model would put them, and what one change makes of them."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import read_statements
from tests.unit.answering.proof.test_mutations import changed

CLAIMS = Path(__file__).parents[4] / "training" / "claims" / "paraphrase.jsonl"


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    true: bool
    prover: Prover

    @property
    def proven(self) -> bool:
        return self.prover.prove(self.text) is not None


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    provers: dict[str, Prover] = {}
    found = []
    for line in CLAIMS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["passage"] not in provers:
            source = Source("", row["title"], "")
            passage = Passage(1, row["passage"], source, 1.0)
            statements = [one.statement for one in read_statements([passage])]
            provers[row["passage"]] = Prover(statements, {1: row["title"]})
        found.append(Claim(row["claim"], row["true"], provers[row["passage"]]))
    return found


def test_no_false_claim_is_proven(claims: list[Claim]) -> None:
    false = [claim for claim in claims if not claim.true]
    assert len(false) > 200
    assert [claim.text for claim in false if claim.proven] == []


def test_a_quarter_of_the_true_claims_is_proven(claims: list[Claim]) -> None:
    true = [claim for claim in claims if claim.true]
    assert sum(claim.proven for claim in true) >= len(true) / 4


def test_a_proven_claim_is_not_proven_when_one_thing_is_changed(claims: list[Claim]) -> None:
    proven = [claim for claim in claims if claim.true and claim.proven]
    variants = [(claim.prover, other) for claim in proven for other in changed(claim.text)]
    assert len(variants) > 30
    assert [other for prover, other in variants if prover.prove(other)] == []
