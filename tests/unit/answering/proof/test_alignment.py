"""A claim is aligned with few of the ways to read a statement, however many there are."""

import pytest

from sourcebook.answering.proof import alignment
from sourcebook.answering.proof.alignment import ClaimReading, EvidenceReading
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement
from tests.unit.answering.passages import checker, passage, released

LONG = (
    "The lessee shall pay the rent, the service charge, the insurance premium, the water rate and "
    "the heating cost on the first day of each month, and the lessor shall maintain the roof, the "
    "stairs, the lift, the cellar and the garden, unless the lessee, his family, his guests or his "
    "staff caused the damage, in which case the lessee shall bear the cost of the repair and "
    "inform the lessor in writing within 14 days."
)
MAX_ALIGNMENTS = 100


@pytest.fixture
def alignments(monkeypatch: pytest.MonkeyPatch) -> list[ClaimReading]:
    """The readings of claims that were compared word for word."""
    compared: list[ClaimReading] = []
    aligns_in_order = alignment.aligns_in_order

    def counted(claim: ClaimReading, evidence: EvidenceReading) -> bool:
        compared.append(claim)
        return aligns_in_order(claim, evidence)

    monkeypatch.setattr(alignment, "aligns_in_order", counted)
    return compared


@pytest.mark.parametrize(
    "claim",
    [
        LONG.replace("14", "40"),
        LONG.replace("the", "a", 3),
        LONG.replace(" and ", " but "),
        LONG.replace("rent", "roof", 1).replace("the roof, the stairs", "the rent, the stairs"),
        LONG.replace("heating", "cleaning"),
    ],
)
def test_a_long_sentence_is_rarely_compared_word_for_word(
    claim: str, alignments: list[ClaimReading]
) -> None:
    prover = Prover([Statement(1, 0, len(LONG), LONG)])

    assert prover.prove(claim) is None
    assert prover.proofs_of_parts(claim) == ()
    assert len(alignments) < MAX_ALIGNMENTS


async def test_what_one_passage_proves_is_not_looked_for_in_the_others(
    alignments: list[ClaimReading],
) -> None:
    passages = [passage(number, "The pump is driven by a motor.") for number in range(1, 20)]

    assert await released(checker(passages), ["A motor drives the pump."])
    assert len(alignments) == 1
    assert await released(checker(passages), ["A motor drives the pump [19]."])
    assert len(alignments) > 19
