"""Small words tell English from other languages."""

import pytest

from sourcebook.answering.proof.languages import is_english
from sourcebook.text.languages import language_of, may_be


@pytest.mark.parametrize(
    "text",
    [
        "Was it in an inn?",
        "Was a van used?",
        "Who was in Los Angeles?",
        "Where does the Rio de la Plata begin?",
        "car battery plus AI",
        "man in a hat",
        "kubectl get pods",
    ],
)
def test_english_is_told_in_spite_of_words_that_others_have(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Was kostet eine Lizenz?",
        "Was kostet ein Platz in Hamburg?",
        "Was ist Redis?",
        "Combien coûte l'accès ?",
        "On a combien de licences ?",
        "¿Cómo instalo Redis?",
        "A cuánto está la licencia?",
        "Hoe werkt het licentiebeheer van de haven?",
    ],
)
def test_short_questions_in_other_languages_are_told(text: str) -> None:
    assert not is_english(text)


SENTENCES = {
    "en": "The pump must not be opened.",
    "de": "Die Pumpe darf nicht geöffnet werden.",
    "fr": "La pompe ne doit pas être ouverte.",
    "es": "La bomba no debe abrirse durante el funcionamiento.",
    "pt": "A bomba não deve ser aberta durante a operação.",
    "it": "La pompa non deve essere aperta con la mano.",
    "nl": "De pomp mag niet worden geopend.",
    "sv": "Pumpen får inte öppnas när den är i gång.",
    "ur": "پمپ کو کھولنا نہیں چاہیے۔",
    "zh": "水泵不得打开。",
    "ja": "ポンプを開けないでください。",
    "": "펌프를 열지 마십시오.",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_script_and_small_words_tell_the_language(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["Abra la tapa.", "Abra la tapa con la mano."])
def test_what_two_languages_may_say_may_be_either(text: str) -> None:
    assert may_be(text, "es")
    assert not may_be(text, "de")


def test_without_small_words_a_text_may_be_in_any_language_of_its_script() -> None:
    assert language_of("HT-30 5 V", otherwise="de") == "de"
    assert may_be("HT-30 5 V", "de")
    assert not may_be("HT-30 5 V 水泵水泵水泵", "de")
