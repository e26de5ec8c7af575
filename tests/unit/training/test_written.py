"""Every question that was written says where its answer stands, or has none."""

from functools import cache

from training.prepare import written
from training.written_texts import WrittenText, written_texts


@cache
def trained() -> tuple[WrittenText, ...]:
    """Read once: finding the sentences of some two thousand texts takes seconds."""
    return tuple(written_texts())


def test_an_answered_question_has_its_sentence_and_no_other_has() -> None:
    texts = [*trained(), *written_texts(development=True)]
    questions = [one for text in texts for one in text.questions]

    assert len(questions) > 3_000
    assert [
        one.question for one in questions if bool(one.sentences) != (one.kind == "answered")
    ] == []


def test_no_text_for_development_is_trained_on() -> None:
    texts = {text.passage.text for text in trained()}

    assert texts.isdisjoint(text.passage.text for text in written_texts(development=True))


def test_an_example_names_the_sentences_that_answer() -> None:
    text = trained()[0]

    kinds = {one.kind for one in written(text)}
    right = [one for one in written(text) if one.kind == "written"]
    assert kinds == {"written", "written_miss"}
    assert all(len(one.shares) == len(text.sentences) and max(one.shares) == 1 for one in right)
