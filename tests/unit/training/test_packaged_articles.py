"""Which words of an article are read, and where its passages begin and end."""

import pytest
from training.packaged_articles import ENOUGH_WORDS, MOST_WORDS, passages_of, plain

SENTENCE = "The heron stands in the shallow water of the lake and waits for a fish."


def page_of(text: str, title: str = "Heron") -> str:
    return f'<page><title>{title}</title><text xml:space="preserve">{text}</text></page>'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "A '''heron''' is a [[bird]] of [[wetland|wet places]].",
            "A heron is a bird of wet places.",
        ),
        (
            "It weighs {{convert|2.1|kg|lb}}.&lt;ref name=&quot;w&quot;&gt;Guide, p. 4&lt;/ref&gt;",
            "It weighs 2.1 kg.",
        ),
        ("It flies ({{IPA|x}}), {{see|{{nested|Crane}}}}slowly.", "It flies, slowly."),
        ("{| class=wide\n| one\n{|\n| two\n|}\n|}It stands.", "It stands."),
        ("[[File:Heron.jpg|thumb|A [[grey heron]] at noon]]It waits.", "It waits."),
        ("See [http://example.org the guide].", "See the guide."),
    ],
)
def test_words_are_read_without_marks(written: str, read: str) -> None:
    assert plain(written) == read


def test_a_passage_has_whole_paragraphs_of_one_section() -> None:
    paragraph = " ".join([SENTENCE] * 5)
    text = "\n\n".join([paragraph, "== Feeding ==", *[paragraph] * 4])

    passages = passages_of(page_of(text))

    assert [one["heading"] for one in passages] == ["Heron", "Heron > Feeding", "Heron > Feeding"]
    assert all(
        one["text"].split("\n\n") == [paragraph] * one["text"].count("\n\n") + [paragraph]
        for one in passages
    )
    assert all(len(one["text"].split()) <= MOST_WORDS for one in passages)
    assert len(passages[1]["text"].split()) >= ENOUGH_WORDS


@pytest.mark.parametrize(
    "page",
    [
        page_of(f"{SENTENCE} " * 9, title="Heron (disambiguation)"),
        '<page><title>Egret</title><redirect title="Heron" /></page>',
        page_of(f"== References ==\n{SENTENCE * 9}"),
        page_of("Too short."),
    ],
)
def test_what_tells_nothing_is_left_out(page: str) -> None:
    assert passages_of(page) == []


def test_passages_are_numbered_on() -> None:
    text = "\n\n".join([" ".join([SENTENCE] * 9)] * 2)

    assert [one["id"] for one in passages_of(page_of(text), 7)] == [7, 8]
