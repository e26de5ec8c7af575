"""No language is second class: copies are proven, changes are quoted, refusals are no claims."""

import pytest

from sourcebook.answering.extractive import quotable_places
from sourcebook.answering.statement_ids import statement_ids
from sourcebook.answering.statements import read_statements
from sourcebook.core.answers import SentenceCounts
from tests.unit.answering.passages import checker, passage, released

TEXTS = {
    "de": "Die Pumpe läuft mit 230 V. Der Deckel darf im Betrieb nicht geöffnet werden.",
    "es": "La bomba funciona a 230 V. La tapa no debe abrirse durante la marcha.",
    "ur": "پمپ ۲۳۰ وولٹ پر چلتا ہے۔ ڈھکن کو چلتے وقت نہیں کھولنا چاہیے۔",
    "zh": "水泵以230伏电压运行。运行时不得打开盖子。",
    "ja": "ポンプは230ボルトで動きます。運転中はふたを開けてはいけません。",
}
CHANGED = [
    ("de", "Die Pumpe läuft mit 400 V."),
    ("de", "Die Pumpe läuft mit 230 mV."),
    ("de", "Der Deckel darf im Betrieb geöffnet werden."),
    ("es", "La bomba funciona a 400 V."),
    ("es", "La bomba funciona a 230 mV."),
    ("es", "La tapa debe abrirse durante la marcha."),
    ("ur", "پمپ ۴۰۰ وولٹ پر چلتا ہے۔"),
    ("ur", "پمپ ۲۳۰ ایمپیئر پر چلتا ہے۔"),
    ("ur", "ڈھکن کو چلتے وقت کھولنا چاہیے۔"),
    ("zh", "水泵以400伏电压运行。"),
    ("zh", "水泵以230安电流运行。"),
    ("zh", "运行时可以打开盖子。"),
    ("ja", "ポンプは400ボルトで動きます。"),
    ("ja", "運転中はふたを開けます。"),
]
REFUSALS = [
    "Das steht nicht in den Unterlagen.",
    "Los documentos no dicen nada sobre eso.",
    "دستاویزات میں اس کے بارے میں کچھ نہیں ہے۔",
    "文档中没有说明。",
    "資料には記載がありません。",
]


@pytest.mark.parametrize("language", TEXTS)
async def test_a_copied_sentence_is_proven_in_any_language(language: str) -> None:
    checking = checker([passage(1, TEXTS[language])])

    said = "".join(await released(checking, [TEXTS[language]]))

    assert said.count("[1]") + said.count("[2]") == 2
    assert checking.counts == SentenceCounts(proven=2)


@pytest.mark.parametrize(("language", "claim"), CHANGED)
async def test_in_the_place_of_a_changed_one_the_sentence_of_the_evidence_leaves(
    language: str, claim: str
) -> None:
    checking = checker([passage(1, TEXTS[language])])

    said = "".join(await released(checking, [claim]))

    assert claim.rstrip(".。۔") not in said
    assert said.removesuffix(" [1]") in TEXTS[language]
    assert checking.counts == SentenceCounts(quoted=1)


@pytest.mark.parametrize(("text", "refusal"), list(zip(TEXTS.values(), REFUSALS, strict=True)))
async def test_a_refusal_in_any_language_is_no_claim(text: str, refusal: str) -> None:
    checking = checker([passage(1, text)])

    assert await released(checking, [refusal]) == []
    assert checking.says_it_is_missing


@pytest.mark.parametrize(
    ("lead", "item"),
    [
        ("Sie dürfen nicht:", "den Deckel im Betrieb öffnen"),
        ("Nur im Winter:", "den Hahn ganz schließen"),
        ("No debe:", "abrir la tapa durante la marcha"),
        ("Il est interdit, sauf urgence :", "ouvrir le couvercle en marche"),
        ("یہ نہ کریں:", "چلتے وقت ڈھکن کھولنا"),
        ("不得：", "在运行时打开盖子"),
        ("次のことをしてはいけません：", "運転中にふたを開ける"),
    ],
)
async def test_an_item_leaves_only_after_what_denies_it_in_any_language(
    lead: str, item: str
) -> None:
    checking = checker([passage(1, f"{lead}\n\n- {item}\n")])

    said = "".join(await released(checking, [item]))

    assert said.startswith(lead)
    assert checking.counts == SentenceCounts(quoted=1)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (TEXTS["de"], 2),
        (TEXTS["es"], 2),
        (TEXTS["ur"], 2),
        (TEXTS["zh"], 2),
        (TEXTS["ja"], 2),
        ("说明书写道：“请等待五分钟。”然后启动水泵。", 2),
        ("「5分待ってください。」と書いてあります。次にふたを開けます。", 2),
    ],
)
def test_sentences_of_any_script_are_split_and_may_be_quoted(text: str, sentences: int) -> None:
    quotable = read_statements([passage(1, text)])

    assert len(quotable) == sentences
    ranks = [0.5] * sentences
    assert sorted(quotable_places(quotable, ranks)) == list(range(sentences))


def test_a_question_in_urdu_is_a_question() -> None:
    first, second = read_statements([passage(1, "کیا یہ محفوظ ہے؟ ہاں، یہ محفوظ ہے۔")])

    assert first.is_question
    assert not second.is_question


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Häufige Irrtümer", "Die Pumpe läuft ohne Wasser und brummt dabei nicht."),
        ("Idées reçues", "La pompe tourne sans eau et ne fait pas de bruit."),
        ("Mitos", "La bomba funciona sin agua y no hace ruido."),
        ("Misvattingen", "De pomp loopt zonder water en maakt geen geluid."),
        ("常见误解", "水泵没有水也可以运转。"),
        ("よくある誤解", "ポンプは水がなくても動きます。"),
    ],
)
def test_what_a_heading_takes_back_is_quotable_in_no_language(heading: str, said: str) -> None:
    quotable = read_statements([passage(1, f"## {heading}\n\n{said}\n")])

    assert statement_ids(quotable) == {}
