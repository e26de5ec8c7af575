"""Small words tell English from other languages."""

import pytest

from sourcebook.answering.proof.languages import is_english


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
