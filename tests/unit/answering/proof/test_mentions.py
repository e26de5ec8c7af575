import pytest

from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement


def proves(title: str, evidence: str, claim: str) -> bool:
    """Sentences of the evidence are separated by a slash."""
    texts = evidence.split(" / ")
    statements = [Statement(1, 0, len(text), text) for text in texts]
    return Prover(statements, {1: title}).prove(claim) is not None


PAINTER = "Ada Orrin (born 1911) was a Velsian painter."
TOWN = "Dunholt is a market town on the river Esk."
MEANT = (
    ("Ada Orrin", f"{PAINTER} / She left school at twelve.", "Orrin left school at twelve."),
    ("Ada Orrin", f"{PAINTER} / She left school at twelve.", "Ada Orrin left school at twelve."),
    (
        "Ada Orrin",
        f"{PAINTER} / She was poor until Tom Vale lent her the sum. / She went to Rome in 1930.",
        "Orrin went to Rome in 1930.",
    ),
    (
        "Ada Orrin",
        f"{PAINTER} / The critic Sir Hugh Palk hated her. / Palk lost his post in 1935.",
        "Sir Hugh Palk lost his post in 1935.",
    ),
    ("Dunholt", f"{TOWN} / The town burned in 1702.", "Dunholt burned in 1702."),
    ("Dunholt", f"{TOWN} / Dunholt burned in 1702.", "The town burned in 1702."),
    (
        "The Esk Courier",
        "The Esk Courier was a weekly newspaper. / It cost a penny until 1920.",
        "The Courier cost a penny until 1920.",
    ),
)
# True too; but the same form may say something else, so these are quoted.
BEYOND = (
    (
        "Ada Orrin",
        f"{PAINTER} / The studio burned in 1940. / It had cost her a fortune.",
        "It had cost Orrin a fortune.",
    ),
    (
        "Ada Orrin",
        f"{PAINTER} / Her father was a miller. / Because money was short, she sold her horse.",
        "Because money was short, Orrin sold her horse.",
    ),
    (
        "Palk & Reed",
        "Palk & Reed is a manufacturer of scales. / In the war the firm made fuses.",
        "In the war, Palk & Reed made fuses.",
    ),
)
NOT_MEANT = (
    (
        "Ada Orrin",
        f"{PAINTER} / Lea Vale was her sister. / She died in 1930.",
        "Orrin died in 1930.",
    ),
    (
        "Ada Orrin",
        f"{PAINTER} / Lea Vale taught her. / She died in 1930.",
        "Lea Vale died in 1930.",
    ),
    (
        "Ada Orrin",
        f"{PAINTER} / She was taught by Lea Vale. / She died in 1930.",
        "Orrin died in 1930.",
    ),
    ("Ada Orrin", f"{PAINTER} / Her mother was a maid. / She died in 1930.", "Orrin died in 1930."),
    ("Ada Orrin", f"{PAINTER} / A widow rented the house. / She sold bread.", "Orrin sold bread."),
    ("Ada Orrin", f"{PAINTER} / When Lea Vale fell, she wept.", "When Lea Vale fell, Orrin wept."),
    (
        "Ada Orrin",
        f"{PAINTER} / Karl Orrin moved to Rome. / Orrin kept bees.",
        "Ada Orrin kept bees.",
    ),
    ("Ada Orrin", f"{PAINTER} / Orrin kept bees.", "Karl Orrin kept bees."),
    ("Ada Orrin", f"{PAINTER} / The Orrin prize is 50 crowns.", "Ada Orrin's prize is 50 crowns."),
    (
        "Ada Orrin",
        f"{PAINTER} / Her work is rare. / Tom Vale copied it. / He died in 1930.",
        "Orrin died in 1930.",
    ),
    ("Dunholt", f"{TOWN} / The town of Lisk burned in 1702.", "Dunholt burned in 1702."),
    (
        "Dunholt",
        f"{TOWN} / Lisk is another town. / The town burned in 1702.",
        "Dunholt burned in 1702.",
    ),
    ("Dunholt", f"{TOWN} / The old town burned in 1702.", "Dunholt burned in 1702."),
    ("Dunholt", f"{TOWN} / The mayor is rich. / She is 40 years old.", "Dunholt is 40 years old."),
    ("Dunholt", f"{TOWN} / New Dunholt burned in 1702.", "Dunholt burned in 1702."),
    (
        "The Esk Courier",
        "The Esk Courier was a weekly newspaper. / Its rival was the Vale Echo. / It cost a penny.",
        "The Courier cost a penny.",
    ),
    (
        "Sharing",
        "Press Copy Link. / Press Link to stop sharing.",
        "Press Copy Link to stop sharing.",
    ),
    (
        "The siege",
        "Duke Albert came. / King Albert fled. / Albert was shot in May.",
        "King Albert was shot in May.",
    ),
)


@pytest.mark.parametrize(("title", "evidence", "claim"), MEANT, ids=lambda one: one[:40])
def test_the_name_is_proven_where_nobody_else_can_be_meant(
    title: str, evidence: str, claim: str
) -> None:
    assert proves(title, evidence, claim)


@pytest.mark.parametrize(("title", "evidence", "claim"), NOT_MEANT, ids=lambda one: one[:40])
def test_the_name_is_not_proven_where_another_may_be_meant(
    title: str, evidence: str, claim: str
) -> None:
    assert not proves(title, evidence, claim)
