"""Briefs in which each statement has the rank of a word that it holds."""

from collections.abc import Mapping

from sourcebook.answering.evidence_judge import Evidence, Judgement
from sourcebook.answering.statements import read_statements
from sourcebook.answering.writers import Brief
from tests.unit.answering.passages import passage

QUESTION = "Which is it?"


def brief(ranks: Mapping[str, float], *texts: str, probability: float | None = 0.99) -> Brief:
    """A brief with one passage for each text; a statement with none of the words has no rank."""
    passages = tuple(passage(number, text) for number, text in enumerate(texts, 1))
    quotable = read_statements(passages)
    ranked = tuple(
        next((rank for word, rank in ranks.items() if word in one.shown), 0.0) for one in quotable
    )
    return Brief(QUESTION, "general", passages, quotable, ranked, probability=probability)


def evidence(told: Brief, *, is_enough: bool = False) -> Evidence:
    """What a judge would have made of a brief's evidence."""
    judgement = Judgement(is_enough, told.ranks, told.probability)
    return Evidence(told.passages, told.quotable, judgement)
