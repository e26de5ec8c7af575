import pytest

from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement


def proves(title: str, evidence: str, claim: str) -> bool:
    """Sentences of the evidence are separated by a slash."""
    texts = evidence.split(" / ")
    statements = [Statement(1, 0, len(text), text) for text in texts]
    return Prover(statements, {1: title}).prove(claim) is not None


ABOUT_ITS_TITLE = (
    (
        "Fenwick S24 switch",
        "The fans blow from left to right.",
        "The fans of the S24 blow from left to right.",
    ),
    (
        "Heronmail: quotas",
        "A new mailbox holds 10 GB.",
        "In Heronmail, a new mailbox holds 10 GB.",
    ),
    (
        "Municipal decree on bees",
        "Three hives are permitted per address.",
        "Under the decree, three hives are permitted per address.",
    ),
    (
        "Ada Quillfeather",
        "A street in Mossend bears her name.",
        "A street in Mossend bears Ada Quillfeather's name.",
    ),
    (
        "Oakfield Systems",
        "We ask reporters to wait 90 days.",
        "Oakfield asks reporters to wait 90 days.",
    ),
    (
        "Fogharp",
        "The first harps were put up in 2008.",
        "The first fogharps were put up in 2008.",
    ),
)
# True too; but the same form may say something else, so these are quoted.
BEYOND = (
    (
        "The Linnet gateway",
        "The gateway needs a port and a key. / It stores keys in `/var/lib`.",
        "The gateway stores keys in `/var/lib`.",
    ),
)
ABOUT_SOMETHING_ELSE = (
    (
        "Fenwick S24 switch",
        "The fans of the S48 blow to the left.",
        "The fans of the S24 blow to the left.",
    ),
    (
        "The Linnet gateway",
        "The proxy reads the log. / It stores keys.",
        "The gateway stores keys.",
    ),
    ("Ada Quillfeather", "Her aunt owned a shop.", "Ada Quillfeather owned a shop."),
    ("The team and its captain", "The captain of the team resigned.", "The team resigned."),
    ("Timeouts", "The default timeout is 30 seconds.", "The timeout is 30 seconds."),
)


@pytest.mark.parametrize(("title", "evidence", "claim"), ABOUT_ITS_TITLE, ids=lambda one: one[:30])
def test_a_title_says_what_a_statement_is_about(title: str, evidence: str, claim: str) -> None:
    assert proves(title, evidence, claim)
    assert not proves("Weather", evidence, claim)


@pytest.mark.parametrize(
    ("title", "evidence", "claim"), ABOUT_SOMETHING_ELSE, ids=lambda one: one[:30]
)
def test_a_title_does_not_make_one_thing_another(title: str, evidence: str, claim: str) -> None:
    assert not proves(title, evidence, claim)


def test_a_title_of_any_length_is_read() -> None:
    assert not proves("the pump of " * 10_000, "It is red.", "The valve is red.")
