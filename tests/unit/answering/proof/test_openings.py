"""What opens a claim, and what says that the evidence lacks something, in any language."""

import pytest

from sourcebook.answering.proof.openings import says_it_is_missing
from sourcebook.answering.proof.prover import Prover
from sourcebook.answering.statements import Statement


@pytest.mark.parametrize(
    "refusal",
    [
        "The documentation doesn't say what it costs.",
        "Das steht nicht in den Unterlagen.",
        "Dazu habe ich keine Informationen.",
        "Les documents ne contiennent pas cette information.",
        "Los documentos no dicen nada sobre el precio.",
        "Os documentos não contêm essa informação.",
        "I documenti non contengono questa informazione.",
        "De documenten bevatten die informatie niet.",
        "دستاویزات میں اس کے بارے میں معلومات نہیں ہیں۔",
        "文档中没有相关信息。",
        "ドキュメントにはその情報がありません。",
    ],
)
def test_a_denial_in_any_language_is_known(refusal: str) -> None:
    assert says_it_is_missing(refusal)


@pytest.mark.parametrize(
    "claim",
    ["The pump does not run.", "Die Pumpe läuft nicht.", "水泵不运行。", "پمپ نہیں چلتا ہے۔"],
)
def test_a_denial_that_is_not_of_the_evidence_is_a_claim(claim: str) -> None:
    assert not says_it_is_missing(claim)


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("**Note:** The pump is red.", "The pump is red."),
        ("The pump is red, as the manual says.", "The pump is red."),
        ("The notes say that the pump is red.", "The pump is red."),
        ("Hinweis: Die Pumpe ist rot.", "Die Pumpe ist rot."),
        ("Die Pumpe läuft 1,5 Stunden.", "Die Pumpe läuft 90 Minuten."),
        ("Selon le manuel, la pompe est rouge.", "La pompe est rouge."),
        ("Según el manual, la bomba es roja.", "La bomba es roja."),
        ("De acordo com o manual, a bomba é vermelha.", "A bomba é vermelha."),
        ("Secondo il manuale, la pompa è rossa.", "La pompa è rossa."),
        ("根据手册，水泵运行九十分钟。", "水泵运行90分钟。"),
        ("マニュアルによると、ポンプは赤いです。", "ポンプは赤いです。"),
        ("دستاویز کے مطابق، پمپ 90 منٹ چلتا ہے۔", "پمپ ۹۰ منٹ چلتا ہے۔"),
    ],
)
def test_openings_and_formats_are_proven_in_any_language(claim: str, statement: str) -> None:
    assert Prover([Statement(1, 0, len(statement), statement)]).prove(claim)


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("Laut Anna: Die Pumpe ist rot.", "Die Pumpe ist rot."),
        ("Según Ana, la bomba es roja.", "La bomba es roja."),
        ("水泵运行80分钟。", "水泵运行90分钟。"),
        ("水泵不运行。", "水泵运行。"),
        ("水泵运行吗？", "水泵运行吗？"),
    ],
)
def test_what_says_more_is_not_proven_in_any_language(claim: str, statement: str) -> None:
    assert not Prover([Statement(1, 0, len(statement), statement)]).prove(claim)
