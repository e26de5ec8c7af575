import pytest

from sourcebook.answering.proof.closest import closest, most_similar
from sourcebook.answering.statements import Statement
from tests.unit.answering.proof.test_attacks import rows

ROWS = [row for row in rows("claims.jsonl") if len(row["evidence"]) == 1][::3]
EVIDENCE = [
    Statement(number, 0, len(row["evidence"][0]), row["evidence"][0])
    for number, row in enumerate(ROWS)
]


def nearest(claim: str, *evidence: str) -> str | None:
    found = closest(claim, [Statement(1, 0, len(text), text) for text in evidence])
    return None if found is None else found.text


def test_nearly_every_claim_has_its_statement_and_hardly_one_another() -> None:
    found = [
        (number, closest(claim, EVIDENCE))
        for number, row in enumerate(ROWS)
        for claim in row["true"] + row["false"]
    ]
    right = sum(one is not None and one.passage == number for number, one in found)
    wrong = sum(one is not None and one.passage != number for number, one in found)
    assert right >= 0.9 * len(found)
    assert wrong <= 0.02 * len(found)


def test_a_contradicted_statement_is_found() -> None:
    tether = "Attach the safety tether before the first standing test."
    claim = "Remove the safety tether before the first standing test."
    assert nearest(claim, "Charge the battery before the test.", tether) == tether


def test_a_wrong_figure_does_not_hide_the_statement() -> None:
    evidence = ("The pump runs at 5 V.", "The fan is loud.")
    assert nearest("The pump runs at 7 V.", *evidence) == evidence[0]


def test_two_statements_that_fit_alike_are_not_clear() -> None:
    gates = ("The north gate is open until 6 pm.", "The south gate is open until 8 pm.")
    assert nearest("The gate is open.", *gates) is None


def test_the_same_sentence_in_two_passages_is_clear() -> None:
    red = "The pump is red."
    assert nearest("The pump is red now.", red, red) == red


@pytest.mark.parametrize("claim", ["", "The weather is fine today.", "?", "Of the and."])
def test_a_claim_about_something_else_has_no_statement(claim: str) -> None:
    assert nearest(claim, "The pump is red.", "The valve weighs 5 kg.") is None


def test_no_statements_have_no_closest() -> None:
    assert nearest("The pump is red.") is None


def test_a_cosine_decides_between_statements_that_fit_alike() -> None:
    texts = ("The north gate is open until 6 pm.", "The south gate is open until 8 pm.")
    evidence = [Statement(1, 0, len(text), text) for text in texts]
    found = closest("The gate is open.", evidence, [0.2, 0.9])
    assert found is evidence[1]


@pytest.mark.parametrize(
    ("cosines", "found"),
    [
        ([0.1, 0.2, 0.8, 0.1, 0.0], 2),
        ([0.80, 0.81, 0.95, 0.79, 0.80], 2),
        ([0.0, 0.0, 0.4, 0.0, 0.0], None),
        ([0.80, 0.81, 0.85, 0.79, 0.80], None),
        ([1.0, 1.0, 1.0, 1.0, 1.0], None),
        ([0.0, 0.0, 0.9], None),
    ],
    ids=["clear", "clear among high ones", "too low", "one of many", "all alike", "too few"],
)
def test_the_most_similar_statement_stands_out_from_all_others(
    cosines: list[float], found: int | None
) -> None:
    assert most_similar(dict(enumerate(cosines))) == found
