"""Every question that was written says where its answer stands, or has none."""

from training.prepare import written
from training.written_texts import written_texts


def test_an_answered_question_has_its_sentence_and_no_other_has() -> None:
    texts = [*written_texts(), *written_texts(development=True)]
    questions = [one for text in texts for one in text.questions]

    assert len(questions) > 3_000
    assert [
        one.question for one in questions if bool(one.sentences) != (one.kind == "answered")
    ] == []


def test_no_text_for_development_is_trained_on() -> None:
    trained = {text.passage.text for text in written_texts()}

    assert trained.isdisjoint(text.passage.text for text in written_texts(development=True))


def test_an_example_names_the_sentences_that_answer() -> None:
    text = next(written_texts())

    kinds = {one.kind for one in written(text)}
    right = [one for one in written(text) if one.kind == "written"]
    assert kinds == {"written", "written_miss"}
    assert all(len(one.shares) == len(text.sentences) and max(one.shares) == 1 for one in right)
