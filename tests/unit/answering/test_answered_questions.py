"""A text that asks the very question answers it in the paragraph after it."""

import pytest

from sourcebook.answering.answered_questions import answers_in_text, is_heading_with_answer
from sourcebook.answering.statements import read_statements
from tests.unit.answering.passages import passage

QUESTION = "Can I take a dog on board?"


def answer(text: str, question: str = QUESTION) -> list[str]:
    passages = [passage(1, text)]
    quotable = read_statements(passages)
    found = answers_in_text(question, passages, quotable)
    return [quotable[place].shown for place in sorted(found)]


@pytest.mark.parametrize(
    "text",
    [
        "Q: Can I take a dog on board?\nA: On a lead. It pays nothing.",
        "**Q:** Can I take the dog on board?\n\n**A:** On a lead. It pays nothing.",
        "**Can I take a dog on board?**\n\nOn a lead. It pays nothing.\n\nThe deck is red.",
        "<summary>can I take a dog on board?</summary>\n\nOn a lead. It pays nothing.\n\n# Cats",
        "1. Can I take a dog on board?\n   On a lead. It pays nothing.\n\n2. And a cat? No.",
        "**(3) Can I take a dog on board?**\n> On a lead. It pays nothing.\n\n**(4) And a cat?**",
        "Q. Can I take a dog on board?\nA. On a lead. It pays nothing.\nQ. And a cat?\nA. No.",
    ],
)
def test_the_paragraph_after_the_question_answers_it(text: str) -> None:
    assert answer(text) == ["On a lead.", "It pays nothing."]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (QUESTION, "When can I take a dog on board?\n\nIn summer."),
        (QUESTION, "Can I take a dog on board?\n\n## Cats\n\nThey sleep."),
        (QUESTION, "You can take a dog on board. It pays nothing."),
        ("Why?", "Why? Nobody knows."),
        ("???", "? Nobody knows."),
    ],
)
def test_other_questions_answer_nothing(question: str, text: str) -> None:
    assert answer(text, question) == []


@pytest.mark.parametrize(
    "text",
    [
        "## Can I take a dog on board?\n\n- On a lead.\n- It pays nothing.\n\nThe deck is red.",
        "## Can I take a dog on board?\n\nSo:\n\n1. On a lead.\n2. It pays nothing.\n\nRed.",
        "**Can I take a dog on board?**\n\n- On a lead.\n\n- It pays nothing.\n\nThe deck is red.",
    ],
)
def test_the_list_directly_after_the_question_answers_it(text: str) -> None:
    assert [one for one in answer(text) if one != "So:"] == ["On a lead.", "It pays nothing."]
    assert answer(text, "Can I take a cat on board?") == []


@pytest.mark.parametrize(
    ("question", "heading", "is_asked"),
    [
        (QUESTION, "## Can I take a dog on board?", True),
        ("How do I book a berth?", "## How to book a berth", True),
        ("Why is the boat late?", "## Why is the boat late", True),
        (QUESTION, "## Can I take a cat on board?", False),
        ("Why?", "## Why?", False),
    ],
)
def test_a_heading_can_ask_the_question(question: str, heading: str, is_asked: bool) -> None:
    quotable = read_statements([passage(1, f"{heading}\n\nBy day only.")])

    assert is_heading_with_answer(question, quotable) == is_asked
    assert not is_heading_with_answer(question, quotable[:1])


@pytest.mark.parametrize(
    "question", ["List all the staff discounts", "Which staff discounts are there?"]
)
def test_the_list_under_the_name_of_what_is_to_be_listed_answers(question: str) -> None:
    text = "## Staff discount\n\n- 10 % on tea.\n- 20 % on beans.\n\n## Tips\n\n- Never.\n"

    assert answer(text, question) == ["10 % on tea.", "20 % on beans."]
    assert answer(text, "List all the discounts") == []
    assert answer(f"{text}\n{text.replace('tea', 'milk')}", question) == []
    assert answer(f"{text}\n{text}", question) == ["10 % on tea.", "20 % on beans."]
    assert answer("## Staff discounts\n\nThere are none.", question) == []


@pytest.mark.parametrize(
    ("leader", "is_called"),
    [
        ("Everybody has one of the following staff discounts:", True),
        ("There are two staff discounts:", True),
        ("Never give these staff discounts:", False),
        ("If you work here, these are your staff discounts:", False),
        ("Staff discounts end with your job:", False),
        ("There are two staff discounts.", False),
    ],
)
def test_a_list_is_called_what_the_sentence_before_it_ends_with(
    leader: str, is_called: bool
) -> None:
    listed = ["10 % on tea.", "20 % on beans."]
    text = f"# Pay\n\n{leader}\n\n- 10 % on tea.\n- 20 % on beans.\n\nAsk us."

    assert answer(text, "List the staff discounts") == ([leader, *listed] if is_called else [])
    assert answer(text, "List the discounts of cafés") == []


@pytest.mark.parametrize("heading", ["No staff discounts", "Staff discounts: never"])
def test_a_list_under_a_heading_that_denies_it_is_another(heading: str) -> None:
    assert answer(f"## {heading}\n\n- Tea.\n- Beans.\n", "List the staff discounts") == []


def test_a_heading_under_one_that_denies_it_tells_not_how_to_do_it() -> None:
    text = "# Never do this\n\n## Connecting the gas\n\n- Open the valve.\n- Light a match."

    assert answer(text, "How do I connect the gas?") == []
    assert not is_heading_with_answer(
        "How do I connect the gas?", read_statements([passage(1, text)])
    )


@pytest.mark.parametrize("heading", ["Connect the gas", "Connecting the gas"])
@pytest.mark.parametrize("question", ["How do I connect the gas?", "how to connect gas"])
def test_a_heading_that_names_a_task_tells_how_to_do_it(heading: str, question: str) -> None:
    text = f"## {heading}\n\n1. Close the valve.\n2. Screw in the hose.\n\nCall us."

    assert answer(text, question) == ["Close the valve.", "Screw in the hose."]
    assert is_heading_with_answer(question, read_statements([passage(1, text)]))
    assert answer(text, "What is connected to the gas?") == []
    assert answer(text, "How do I connect the water?") == []
