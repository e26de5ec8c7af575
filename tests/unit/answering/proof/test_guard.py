"""What a sentence in other words may not change, in each language that has a file of words."""

import pytest

from sourcebook.answering.proof.guard import lacking

STATEMENTS = {
    "en": "The pump runs for 90 minutes at 1,234.5 V and must not be opened.",
    "de": "Die Pumpe läuft 90 Minuten mit 1.234,5 V und darf nicht geöffnet werden.",
    "fr": "La pompe tourne 90 minutes avec 1.234,5 V et ne doit pas être ouverte.",
    "es": "La bomba funciona 90 minutos con 1.234,5 V y no debe abrirse.",
    "pt": "A bomba funciona 90 minutos com 1.234,5 V e não deve ser aberta.",
    "it": "La pompa funziona 90 minuti con 1.234,5 V e non deve essere aperta.",
    "nl": "De pomp draait 90 minuten op 1.234,5 V en mag niet worden geopend.",
    "ur": "پمپ ۹۰ منٹ ۱۲۳۴٫۵ V پر چلتا ہے اور اسے کھولنا ٹھیک نہیں ہے۔",
    "zh": "水泵以1234.5 V运行90分钟，不得打开。",
    "ja": "ポンプは1234.5 Vで90分間動き、開けてはいけません。",
}
SAME = {
    "en": "The pump runs for 1.5 hours at 1234.5 V and must not be opened.",
    "de": "Die Pumpe läuft 1,5 Stunden mit 1234,5 V und darf nicht geöffnet werden.",
    "fr": "La pompe tourne 1,5 heure avec 1234,5 V et ne doit pas être ouverte.",
    "es": "La bomba funciona 1,5 horas con 1234,5 V y no debe abrirse.",
    "pt": "A bomba funciona 1,5 horas com 1234,5 V e não deve ser aberta.",
    "it": "La pompa funziona 1,5 ore con 1234,5 V e non deve essere aperta.",
    "nl": "De pomp draait 1,5 uur op 1234,5 V en mag niet worden geopend.",
    "ur": "پمپ 90 منٹ 1234.5 V پر چلتا ہے اور اسے کھولنا ٹھیک نہیں ہے۔",
    "zh": "水泵以１２３４.５ V运行九十分钟，不得打开。",
    "ja": "ポンプは１２３４.５ Vで九十分間動き、開けてはいけません。",
}
# What is cut out of a statement so that it no longer denies.
DENIALS = {
    "en": "not ",
    "de": "nicht ",
    "fr": "ne doit pas",
    "es": "no ",
    "pt": "não ",
    "it": "non ",
    "nl": "niet ",
    "ur": "نہیں ",
    "zh": "不得",
    "ja": "てはいけません",
}
HOURS = {
    "en": ("minutes", "hours"),
    "de": ("Minuten", "Stunden"),
    "fr": ("minutes", "heures"),
    "es": ("minutos", "horas"),
    "pt": ("minutos", "horas"),
    "it": ("minuti", "ore"),
    "nl": ("minuten", "uur"),
    "ur": ("منٹ", "گھنٹے"),
    "zh": ("分钟", "小时"),
    "ja": ("分間", "時間"),
}


@pytest.mark.parametrize("language", STATEMENTS)
def test_figures_are_compared_by_value_in_every_language(language: str) -> None:
    assert lacking(SAME[language], STATEMENTS[language]) is None


@pytest.mark.parametrize("language", STATEMENTS)
def test_a_denial_may_not_be_lost_or_added_in_any_language(language: str) -> None:
    denied = STATEMENTS[language]
    plain = denied.replace(DENIALS[language], "", 1)
    assert lacking(plain, denied) == "denial"
    assert lacking(denied, plain) == "denial"


@pytest.mark.parametrize("language", STATEMENTS)
def test_no_unit_and_no_figure_may_be_another_in_any_language(language: str) -> None:
    statement = STATEMENTS[language]
    assert lacking(statement.replace(*HOURS[language]), statement) == "figure"
    other = statement
    for four in ("4.5", "4,5", "۴٫۵"):
        other = other.replace(four, "7.5" if "." in four else "7,5")
    assert lacking(other, statement) == "figure"


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("打开第二个阀门。", "打开第三个阀门。"),
        ("پمپ 80 منٹ چلتا ہے۔", "پمپ ۹۰ منٹ چلتا ہے۔"),
        ("Der Tank fasst 1,500 Liter.", "Der Tank fasst 1.500 Liter."),
    ],
)
def test_a_figure_has_the_value_that_it_has_in_its_language(claim: str, statement: str) -> None:
    assert lacking(claim, statement) == "figure"


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("Die Pumpe ist rot.", "The pump is red."),
        ("The pump is red.", "Die Pumpe ist rot und steht in der Halle."),
        ("Pumpen är röd och står i hallen.", "Pumpen är röd och står i hallen nu."),
        ("펌프는 빨간색이다.", "펌프는 빨간색이다."),
    ],
)
def test_a_language_without_words_and_another_one_than_the_statements_stand_on_nothing(
    claim: str, statement: str
) -> None:
    assert lacking(claim, statement) == "language"


@pytest.mark.parametrize(
    "claim",
    [
        "Close the valve if the alarm rings.",
        "If the alarm rings, close the valve; it weighs 5 kg.",
        "It weighs 5 kg.",
    ],
)
def test_a_claim_needs_the_denials_of_those_clauses_alone_that_it_is_about(claim: str) -> None:
    statement = "If the alarm rings, close the valve, not the lid; it weighs 5 kg."
    assert lacking(claim, statement) is None


@pytest.mark.parametrize(
    ("claim", "lost"),
    [
        ("Close the valve.", "condition"),
        ("Dogs may enter.", "except"),
        ("The lid is opened.", "denial"),
    ],
)
def test_what_limits_a_clause_may_not_be_left_out(claim: str, lost: str) -> None:
    statement = (
        "If the alarm rings, close the valve. Dogs may enter, except in summer. "
        "The lid is never opened."
    )
    assert lacking(claim, statement) == lost


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("Remove the tether before the test.", "Attach the tether before the test."),
        ("Mara lends the key to Ines.", "Ines lends the key to Mara."),
        ("Nehmen Sie den linken Hebel in die Hand.", "Nehmen Sie den rechten Hebel in die Hand."),
    ],
)
def test_a_claim_that_exchanges_one_word_of_a_statement_does_not_stand_on_it(
    claim: str, statement: str
) -> None:
    assert lacking(claim, statement) == "word"


def test_another_form_of_a_word_is_no_other_word() -> None:
    assert lacking("The alarm ring for hours.", "The alarm rings for hours.") is None


@pytest.mark.parametrize(
    ("claim", "statement", "lost"),
    [
        ("Run `stop --all` to end it.", "Run `stop` to end it.", "code"),
        ("The pump was built by Ines Vale.", "The pump was built by a smith.", "name"),
        ("See https://b.example/x for it.", "See the page for it.", "address"),
    ],
)
def test_code_names_and_addresses_must_be_those_of_the_statement(
    claim: str, statement: str, lost: str
) -> None:
    assert lacking(claim, statement) == lost
