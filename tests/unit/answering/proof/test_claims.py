"""The claims written as a language model would put them, and what one change makes of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sourcebook.answering.evidence import Passage, Source
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import read_statements
from tests.unit.answering.proof.test_mutations import changed

CLAIMS = Path(__file__).parents[4] / "training" / "claims"
FILES = ("paraphrase", "paraphrase_kept", "development", "software", "encyclopaedia")


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    true: bool
    prover: Prover

    @property
    def proven(self) -> bool:
        return self.prover.prove(self.text) is not None


def _lines() -> Iterator[str]:
    for name in FILES:
        yield from CLAIMS.joinpath(f"{name}.jsonl").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    provers: dict[str, Prover] = {}
    found = []
    for line in _lines():
        row = json.loads(line)
        text = row.get("passage") or row["evidence"]
        if text not in provers:
            passage = Passage(1, text, Source("", row.get("title", ""), ""), 1.0)
            provers[text] = Prover([one.statement for one in read_statements([passage])])
        found.append(Claim(row["claim"], row["true"], provers[text]))
    return found


def test_no_false_claim_is_proven(claims: list[Claim]) -> None:
    false = [claim for claim in claims if not claim.true]
    assert len(false) > 700
    assert [claim.text for claim in false if claim.proven] == []


def test_a_proven_claim_is_not_proven_when_one_thing_is_changed(claims: list[Claim]) -> None:
    proven = [claim for claim in claims if claim.true and claim.proven]
    variants = [(claim.prover, other) for claim in proven for other in changed(claim.text)]
    assert len(variants) > 15
    assert [other for prover, other in variants if prover.prove(other)] == []
