"""The words that a chunk is cited by."""

import pytest

from sourcebook.core.metadata import JsonValue
from sourcebook.surfaces.book.results import citation

TITLE, SECTION = "Lesson 4.2: Writing a Publisher", "The Publisher Pattern"


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (
            {"lesson_title": TITLE, "section_title": SECTION, "module": "ros2", "chapter": 4},
            f"{TITLE} | Section: {SECTION} | Module ROS2",
        ),
        (
            {"chapter": 4, "lesson": 2, "section_title": SECTION, "module": "ros2"},
            f"Lesson 4.2 | Section: {SECTION} | Module ROS2",
        ),
        ({"chapter": 4, "lesson": 0, "module": "ros2"}, "Chapter 4 | Module ROS2"),
        ({"chapter": 0, "lesson": 3}, "Lesson 3"),
        ({"chapter": 0, "lesson": 0, "module": "ros2"}, "Module ROS2"),
        ({"lesson_title": TITLE, "chapter": 0, "lesson": 0}, TITLE),
        ({"chapter": 0, "lesson": 0, "source_file": "notes.md"}, "notes.md"),
        ({}, ""),
    ],
)
def test_a_citation_names_what_is_known(about: dict[str, JsonValue], words: str) -> None:
    assert citation(about) == words
