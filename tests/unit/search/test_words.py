"""Words are compared as a reader compares them: by meaning, not by spelling."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sourcebook.answering.proof.languages import is_english
from sourcebook.search import words
from sourcebook.search.words import content_words, language_of, read_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The nodes communicate.", "a node communicates"),
        ("1,000 messages", "1000 messages"),
        ("ROS2 in 10ms", "ROS 2 in 10 ms"),
        ("two robots", "2 robots"),
        ("The robot’s arm", "robot's arm"),
        ("**Nodes** `talk`", "nodes talk"),
    ],
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert content_words(one) == content_words(other)


def test_versions_are_not_rounded() -> None:
    assert content_words("Python 3.10") != content_words("Python 3.1")


def test_small_words_and_denials_carry_no_content() -> None:
    assert content_words("It is not the one that they never had, without any of it.") == ()


THREADS = 8
# Words that no other test has read, so that none is remembered.
TEXTS = [
    " ".join(f"{chr(97 + place % 26)}{'xyzw'[number % 4] * number}{ending}" for number in range(40))
    for place, ending in enumerate(["ations", "ing", "fulness", "ly", "ies", "ed", "ousness"] * 4)
]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that give way to one another all the time."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before_s)


@pytest.mark.usefixtures("hasty")
def test_words_that_are_read_in_many_threads_at_once_are_read_as_in_one() -> None:
    words._read.cache_clear()
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(read_words, TEXTS))
    words._read.cache_clear()

    assert together == [read_words(text) for text in TEXTS]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How is the service restarted when it was stopped?", "english"),
        ("Wie wird der Dienst neu gestartet?", "german"),
        ("Comment est-ce que le service redémarre dans le cluster ?", "french"),
        ("¿Cómo se reinicia el servicio cuando está parado?", "spanish"),
        ("kubectl get pods", "english"),
        ("car battery plus AI", "english"),
        ("Was kostet eine Lizenz?", "german"),
        ("Was ist Redis?", "german"),
        ("On a combien de licences ?", "french"),
        ("A cuánto está la licencia?", "spanish"),
        ("Restart the El Capitan service and its La Paz replica", "english"),
    ],
)
def test_small_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


SHORT_QUESTIONS = {
    "english": (
        "MIT license", "ES modules?", "LA office hours", "DES encryption", "IM settings",
        "Comment syntax?", "Comment out a line?", "L'Oreal plan?", "How to install?", "Why?",
        "Was it lost?", "Default port?", "Which DER files are read?", "Is it free?",
    ),
    "german": (
        "Wie installieren?", "Was kostet es?", "Wo liegt die Datei?", "Welche Ports?",
        "Was ist ein Knoten?", "Kann ich kündigen?", "Was bedeutet verloren?", "Wie groß?",
        "Was heißt Knoten?", "Was tun?", "Server mit TLS", "Und unter Windows?", "WIE GEHT DAS?",
    ),
    "french": (
        "Comment installer ?", "Comment installer?", "Comment ça marche ?", "Pourquoi ?",
        "Quel port ?", "C'est gratuit ?", "Qui l'a écrit ?", "Qu’est-ce qu’un nœud ?",
        "Combien de licences ?", "Faut-il un compte ?", "Où sont les journaux ?",
        "Comment supprimer un compte?", "Et sous Windows ?",
    ),
    "spanish": (
        "¿Cómo instalar?", "Cómo se instala", "¿Es gratis?", "¿Y en Windows?", "¿Instalar?",
        "¿Puedo cancelar?", "¿Funciona sin conexión?", "Que significa perdido?", "¿Por qué?",
        "¿Qué es un nodo?", "¿Cuánto cuesta?", "¿Hay una API?", "donde estan los archivos?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "language"),
    [(one, language) for language, questions in SHORT_QUESTIONS.items() for one in questions],
)
def test_a_few_words_tell_the_language(question: str, language: str) -> None:
    assert language_of(question) == language
    assert is_english(question) == (language == "english")


@pytest.mark.parametrize(
    ("question", "sentence", "shared"),
    [
        ("Wie werden die Dienste überwacht?", "Der Dienst wird vom Knoten überwacht.", 2),
        ("Comment les services sont-ils surveillés ?", "Le service est surveillé par le nœud.", 2),
        ("¿Cómo se vigilan los servicios?", "El servicio se vigila desde el nodo.", 2),
    ],
)
def test_forms_of_a_word_are_the_same_in_the_language_of_the_text(
    question: str, sentence: str, shared: int
) -> None:
    assert len({*content_words(question)} & {*content_words(sentence)}) == shared


def test_small_words_of_other_languages_carry_no_meaning() -> None:
    assert content_words("Was ist das und wie wird es mit dem Knoten?") == ("knot",)
