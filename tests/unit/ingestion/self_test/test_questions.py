"""Questions are made from what a lesson says, and from nothing that many lessons share."""

import pytest

from sourcebook.core.documents import Chunk, Document, WholeDocument
from sourcebook.core.metadata import Metadata
from sourcebook.ingestion.self_test.questions import (
    first_sentence,
    question_about,
    questions_about,
)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How to `install` Rust", "How do I install Rust?"),
        ("2.3 What is a node?", "What is a node?"),
        ("Joints", "What are Joints?"),
        ("`--no-minify`", "What is --no-minify?"),
        ("Install kubeadm", "Install kubeadm"),
        ("Writing a publisher in Python", "Writing a publisher in Python"),
        ("Größe der Räder", "Größe der Räder"),
        ("节点与主题", "节点与主题"),
        ("Summary", None),
        ("Further reading", None),
        ("Install {{< glossary_tooltip term_id='kubelet' >}}", None),
        ("word " * 40, None),
        ("***", None),
        ("", None),
    ],
)
def test_a_heading_gives_a_question_unless_it_only_says_what_its_section_is_for(
    heading: str, question: str | None
) -> None:
    assert question_about(heading) == question


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# Arms\n\nAn arm has joints and links. It moves.", "An arm has joints and links."),
        ("# Arms\nAn arm has *joints*\nand _links_. More.", "An arm has joints and links."),
        ("The field `joint_limit` is in radians. More.", "The field joint_limit is in radians."),
        (
            "```bash\nrun it now please. Yes.\n\nmore\n```\n\n- an item of a list.\n\n"
            "See [the `arm` page](arm.md) first of all.",
            "See the arm page first of all.",
        ),
        ("> Quoted words are of others.\n\n| a | b |\n|---|---|\n", None),
        ("<!-- A comment is for nobody. -->\n\n<Tabs>\n\nShort.", None),
        ("Use {{< var >}} to change the size of it.", None),
        (
            "机器人手臂由关节和连杆组成，并且可以移动。还有更多。",
            "机器人手臂由关节和连杆组成，并且可以移动。",
        ),
        ("no end " * 100, None),
        ("", None),
    ],
)
def test_the_first_sentence_of_prose_is_taken_if_it_is_clear(
    text: str, sentence: str | None
) -> None:
    assert first_sentence(text) == sentence


def test_a_lesson_gives_each_question_once() -> None:
    about: Metadata = {
        "section_starts": [0, 9],
        "section_titles": ["Arms", "Summary"],
        "section_anchors": ["arms", "summary"],
    }
    chunk = Chunk("c", "d", 0, "An arm has joints and links.", about)
    whole = WholeDocument(Document("d", "", {"lesson_title": "Arms"}), (chunk,))

    assert questions_about(whole) == ["What are Arms?", "An arm has joints and links."]


def test_a_lesson_without_text_gives_no_question() -> None:
    assert questions_about(WholeDocument(Document("d", "", {}), ())) == []
