"""A full stop ends a sentence, unless it belongs to an abbreviation or a number."""

from itertools import pairwise

import pytest

from sourcebook.text.sentence_ends import sentence_starts


def sentences(text: str) -> list[str]:
    bounds = [0, *sentence_starts(text, 0, len(text)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(bounds)]


@pytest.mark.parametrize(
    "text",
    [
        "TCP vs. UDP, e.g. for video, i.e. live video, as in Fig. 3 of Sec. 2.",
        "It needs v. 1.25 or ver. 2, no. 5 of the list, at p. 12.",
        "Ports, files etc. are checked for the U.S. market at 3 p.m. each day.",
        "Use a period (`.`) followed by the index.",
        "Call `a. B` first.",
        "The command ALTER TABLE ... ADD COLUMN adds one … Or it does not.",
        "Das gilt z. B. für Pods, d. h. für alle, bzw. für Dienste, usw. ohne Ende.",
        "Am 3. Oktober lief der 2. Versuch, vgl. Abb. 4 und Nr. 7.",
        "Le port, p. ex. 8080, cf. chap. 3, est ouvert par M. Dupont.",
        "El puerto, p. ej. 8080, pág. 12, núm. 3, lo abre el Sr. Gómez en EE. UU.",
    ],
)
def test_abbreviations_and_numbers_end_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "It has 5 joints.|Each one turns.",
        "Files, ports etc.|The rest is ignored.",
        "It reads x.|Then it stops.",
        "Der Dienst läuft.|Er antwortet.",
        "Ça marche !|Vraiment ?|Oui.",
        "¿Funciona?|¡Sí!|Funciona.",
        "„Er läuft.“ Sie prüft es.|Danach endet es.",
        "The release is 1.25.|The next is 1.26.",
        "kubelet runs.|kubectl asks it.",
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str) -> None:
    assert sentences(text.replace("|", " ")) == text.split("|")
