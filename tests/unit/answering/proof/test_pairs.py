import pytest

from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement
from tests.unit.answering.proof.pairs import FALSE, TRUE


def proves(evidence: str, claim: str) -> bool:
    """Sentences of the evidence are separated by a slash."""
    texts = evidence.split(" / ")
    return Prover([Statement(1, 0, len(text), text) for text in texts]).prove(claim) is not None


@pytest.mark.parametrize(("claim", "evidence"), TRUE, ids=lambda one: one[:40])
def test_the_same_in_other_words_is_proven(claim: str, evidence: str) -> None:
    assert proves(evidence, claim)


@pytest.mark.parametrize(("claim", "evidence"), FALSE, ids=lambda one: one[:40])
def test_what_only_looks_alike_is_not_proven(claim: str, evidence: str) -> None:
    assert not proves(evidence, claim)
