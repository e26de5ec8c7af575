"""Who asks what documents there are gets their list; who asks about something else does not."""

import pytest

from sourcebook.answering.inventory import MOST_LISTED, NONE_YET, asks_for_documents, listed


@pytest.mark.parametrize(
    "text",
    [
        "What documents do you have?",
        "which files do you have access to",
        "What files are ingested?",
        "What documents have been ingested?",
        "Which documents are available in the knowledge base?",
        "What ingested documents do we have right now?",
        "list files",
        "List all the documents, please!",
        "Show me the documents.",
        "Can you give me a list of all your documents?",
        "show documents that you have",
        "What do you have?",
        "What's in your index?",
        "What have you ingested?",
    ],
)
def test_these_ask_for_the_list(text: str) -> None:
    assert asks_for_documents(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What documents do you have about robots?",
        "Which files do I have to edit?",
        "Which files do we have to edit?",
        "What files does the launch system load?",
        "How do I list files in Python?",
        "List the files that a package needs.",
        "What do you have to do to lift 3 kg?",
        "Show me how the arm moves.",
        "What files are stored in the workspace?",
        "What documents do you have? " * 10,
    ],
)
def test_these_ask_for_something_else(text: str) -> None:
    assert not asks_for_documents(text)


def test_titles_are_listed_one_in_a_line() -> None:
    assert listed(["The arm", "The\n leg"], 2) == "- The arm\n- The leg"


def test_the_list_says_how_many_are_left_out() -> None:
    lines = listed([str(number) for number in range(60)], 132).splitlines()

    assert len(lines) == MOST_LISTED + 1
    assert lines[-1] == "… and 82 more"


def test_an_empty_shelf_is_said_to_be_empty() -> None:
    assert listed([], 0) == NONE_YET
