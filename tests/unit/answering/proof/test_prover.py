from functools import partial
from random import Random

import pytest

from sourcebook.answering.proof.prover import Proof, Prover
from sourcebook.answering.statements import Statement
from tests.work import calls_of

WORDS = """
the a pump valve Open opened opening is are be must can not never only by of in at to from for with
and or but , ; : ( ) — | ? if when until because which that it its they you we there than faster
more less 5 V % between half May June 1944 `x` default use exceeds has weighs does will today every
day twice times where whom long send Anna €
"""


def statements(*texts: str, passage: int = 1) -> list[Statement]:
    found, start = [], 0
    for text in texts:
        found.append(Statement(passage, start, start + len(text), text))
        start += len(text) + 1
    return found


def prove(claim: str, *evidence: str) -> Proof | None:
    return Prover(statements(*evidence)).prove(claim)


def test_a_proof_points_to_the_statement() -> None:
    evidence = statements("The pump is red.", "The valve is blue.", passage=7)
    proof = Prover(evidence).prove("The valve is blue.")
    assert proof is not None
    assert (proof.passage, proof.span.start, proof.span.end) == (7, 17, 35)
    assert proof.statements == (evidence[1],)


def test_a_merged_claim_points_to_all_its_statements() -> None:
    evidence = statements("The pump is red.", "The valve is blue.")
    proof = Prover(evidence).prove("The pump is red, and the valve is blue.")
    assert proof is not None
    assert proof.statements == tuple(evidence)


def test_statements_of_two_passages_prove_nothing_together() -> None:
    evidence = [*statements("The pump is red."), *statements("The valve is blue.", passage=2)]
    assert Prover(evidence).prove("The pump is red and the valve is blue.") is None


def test_parts_of_two_passages_are_proven_each_by_itself() -> None:
    evidence = [*statements("The pump is red."), *statements("The valve is blue.", passage=2)]
    proofs = Prover(evidence).proofs_of_parts("The valve is blue and the pump is red.")
    assert [proof.passage for proof in proofs] == [2, 1]


@pytest.mark.parametrize(
    ("one", "other", "claim"),
    [
        ("Press the button.", "Open the lid.", "Open the lid and press the button."),
        ("The lamp is red.", "The lamp is new.", "The lamp is red and the lamp is new."),
        ("The lamp is red.", "It is new.", "The lamp is red and it is new."),
    ],
)
def test_two_passages_prove_no_order_and_nothing_of_one_thing(
    one: str, other: str, claim: str
) -> None:
    evidence = [*statements(one), *statements(other, passage=2)]
    assert not Prover(evidence).proofs_of_parts(claim)


def test_each_passage_that_proves_a_claim_is_found() -> None:
    evidence = [*statements("The pump is red."), *statements("The pump is red.", passage=2)]
    assert {proof.passage for proof in Prover(evidence).proofs("The pump is red.")} == {1, 2}


def test_steps_are_proven_in_their_order_only() -> None:
    steps = ("Press the button.", "Open the lid.")
    assert prove("Press the button and open the lid.", *steps)
    assert not prove("Open the lid and press the button.", *steps)


def test_a_pronoun_refers_to_nothing_in_another_passage() -> None:
    evidence = [*statements("The pump is red."), *statements("It weighs 5 kg.", passage=2)]
    assert Prover(evidence).prove("The pump weighs 5 kg.") is None


def test_statements_far_apart_prove_nothing_together() -> None:
    claim = "The pump is red and the valve is blue."
    assert prove(claim, "The pump is red.", "The valve is blue.")
    assert not prove(claim, "The pump is red.", "The fan is grey.", "The valve is blue.")


@pytest.mark.parametrize(
    "evidence",
    [
        "It is not true that the pump is safe.",
        "If the filter is clean, the pump is safe.",
        "Some people say that the pump is safe.",
        "The pump is safe if the filter is clean.",
        "The pump is safe unless it is wet.",
        "The pump is safe, but only in summer.",
        "The pump is safe only in summer.",
        "According to its maker, the pump is safe.",
        "Nobody knows whether the pump is safe.",
        "Is the pump safe?",
        "The pump is safe to touch.",
        "The pump is safe when it is off.",
        "We hoped that the pump is safe.",
        "The pump is safe, provided that it is dry.",
        "The pump is safe or the valve is open.",
        "Either the pump is safe or it is not.",
        "The pump is safe (unless it is wet).",
        "The pump is safe except in winter.",
        "Suppose the pump is safe.",
        "The old pump is safe.",
    ],
)
def test_a_clause_that_something_governs_is_not_proven(evidence: str) -> None:
    assert not prove("The pump is safe.", evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("A meets B.", "A and B meet B."),
        ("Tea consists of milk.", "Tea consists of milk and water."),
        ("The red lamp is lit.", "The red door and the lamp are lit."),
        ("The pump weighs 5 kg.", "The pump and the valve weigh 5 kg."),
        ("Mix the sugar.", "Do not mix the sugar and the salt."),
    ],
)
def test_an_item_of_a_list_is_not_taken_out_where_the_list_counts_as_one(
    claim: str, evidence: str
) -> None:
    assert not prove(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "proved"),
    [
        ("Die Pumpe ist rot.", True),
        ("Die Pumpe ist rot", True),
        ("Rot ist die Pumpe.", False),
        ("Die Pumpe ist rote.", False),
    ],
)
def test_other_languages_are_proven_word_for_word_only(claim: str, proved: bool) -> None:
    assert (prove(claim, "Die Pumpe ist rot.") is not None) == proved


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("If the lamp blinks, close the lid.", "Close the lid if the lamp blinks."),
        ("Close the lid before you leave.", "Before you leave, close the lid."),
        ("The pump is red, and it is new.", "The pump is red and it is new."),
        ("The pump isn't red.", "The pump is not red."),
        ("It runs at 37 °C for 90 minutes.", "It runs at 37 degrees Celsius for 1.5 hours."),
        ("The pump is red.", "According to the manual, the pump is red."),
        ("The pump is red.", "The pump is red, as the manual says."),
        ("The pump is red.", "In this guide, the pump is red."),
    ],
)
def test_the_format_of_a_sentence_and_the_place_of_a_clause_change_nothing(
    evidence: str, claim: str
) -> None:
    assert prove(claim, evidence)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("If it rains, he promised to call.", "He promised to call if it rains."),
        ("Because it is old, it is not used.", "It is not used because it is old."),
        ("If it rings, she said that it works.", "She said that it works if it rings."),
        ("The members, who paid, may enter.", "The members who paid may enter."),
        ("Mushrooms in the basket are edible.", "The mushrooms in the basket are edible."),
    ],
)
def test_what_a_clause_belongs_to_stays(evidence: str, claim: str) -> None:
    assert not prove(claim, evidence)


def test_three_statements_that_stand_together_are_joined() -> None:
    texts = ("The pump is red.", "The valve is blue.", "The fan is grey.")
    assert prove("The pump is red; the valve is blue, and the fan is grey.", *texts)
    assert not prove("The valve is blue, the pump is red and the fan is grey.", *texts)


def test_a_row_proves_nothing_in_other_words() -> None:
    rows = ("| Sensor | Range |", "| Lidar | 12 m |")
    assert not prove("The sensor is the range.", *rows)
    assert not prove("The range of the lidar is 12 m.", *rows)


@pytest.mark.parametrize("claim", ["", " ", ".", "Yes.", "?", "Is the pump safe?", "| |", "- "])
def test_what_claims_nothing_is_not_proven(claim: str) -> None:
    assert not prove(claim, "The pump is safe.", "Is the pump safe?", "| |", ".")


@pytest.mark.parametrize(
    "text",
    [
        "a " * 5_000,
        "the pump and " * 150,
        ", ".join(["which is"] * 200),
        "if " * 600,
        "`" * 1_999,
        "5 to " * 400,
        "(" * 1_900,
        "by of " * 300,
        "is opened by " * 150,
        "must be " * 240,
        "and the pump is red " * 90,
        "[" * 1_000 + "](" * 400,
        "1,1" * 600,
        "a.b" * 600,
        "not " * 480,
        "\u202e" * 500,
        "more than " * 190,
    ],
)
def test_hostile_text_is_read_in_bounded_work(text: str) -> None:
    def proving(part: str) -> None:
        Prover(statements(part, part + " is.")).prove(part + " red.")

    half = calls_of(partial(proving, text[: len(text) // 2]))
    whole = calls_of(partial(proving, text))

    # What is quadratic makes four times as many.
    assert whole < 3 * half


def test_words_in_any_order_prove_themselves_and_nothing_that_they_do_not_name() -> None:
    words = WORDS.split()
    chance = Random(16)  # noqa: S311 - nothing secret about it
    for _ in range(200):
        evidence = [" ".join(chance.choices(words, k=chance.randint(1, 25))) for _ in range(2)]
        prover = Prover(statements(*evidence))
        for one in evidence:
            claims_something = "?" not in one and not one.startswith("|")
            assert (prover.prove(one) is not None) == claims_something, one
        assert prover.prove(" and ".join([*evidence, "Zanzibar"])) is None


@pytest.mark.parametrize(
    "text",
    [
        "It weighs ٣ kg.",
        "½ of ² is 5th",
        "99:99 pm",
        "1944-13-45",
        "1️⃣ \x00",
        "+5 to -5 °C",
        ", , is red, .",
        "(, ) ; ; :",
    ],
)
def test_odd_figures_are_read(text: str) -> None:
    assert prove(f"The pump has {text}", f"The pump has {text}")


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "The motor stops if the lamp is red. The door is open.",
            "The motor stops if the lamp is red and the door is open.",
        ),
        (
            "If the lamp is red, stop the motor. The door is open.",
            "Stop the motor if the lamp is red and the door is open.",
        ),
        ("Never lift the lid. Touch the wire.", "Never lift the lid and touch the wire."),
        (
            "Nobody says that the lid is locked. The motor runs.",
            "Nobody says that the lid is locked and the motor runs.",
        ),
        (
            "Der Motor stoppt, wenn die Lampe rot ist. Die Tür ist offen.",
            "Der Motor stoppt, wenn die Lampe rot ist und die Tür ist offen.",
        ),
        ("Set the factor to 2*3.", "Set the factor to 23."),
    ],
)
def test_no_condition_or_denial_goes_on_to_what_is_joined(evidence: str, claim: str) -> None:
    first, second, *_ = [*evidence.split(". "), ""]

    assert prove(claim, f"{first.removesuffix('.')}.", second) is None
