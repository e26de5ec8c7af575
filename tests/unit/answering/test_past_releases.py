"""What is said of earlier releases, and questions that may be about them."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import Section
from sourcebook.answering.past_releases import (
    asks_about_releases,
    is_of_release,
    told_of_releases,
)
from sourcebook.answering.statements import read_statements
from tests.unit.answering.passages import passage


@pytest.mark.parametrize(
    "question",
    [
        "What's new in 2.8?",
        "When was Python 2 dropped?",
        "Since when does it follow redirects?",
        "Is the old parser still there?",
        "Which release added sessions?",
        "How do I upgrade?",
    ],
)
def test_a_question_may_be_about_releases(question: str) -> None:
    assert asks_about_releases(question)


@pytest.mark.parametrize(
    "question",
    [
        "Does it follow redirects?",
        "How do I create a new project?",
        "Which Python versions are supported?",
        "How do I remove whitespace?",
        "When does a request time out?",
    ],
)
def test_most_questions_are_about_how_things_are(question: str) -> None:
    assert not asks_about_releases(question)


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Release notes", "Quality assurance"),
        ("Changes", "Version 2.9"),
        ("Changelog", ""),
        ("Community Updates", "0.10.3 (2012-02-20)"),
        ("News of the project", "Scrapy 1.1.0 (unreleased)"),
        ("What’s New", "Sessions"),
    ],
)
def test_a_passage_of_a_changelog_is_known_by_its_names(title: str, heading: str) -> None:
    plain = passage(1, "HEAD requests follow no redirects any more.")

    assert is_of_release(replace(plain, source=replace(plain.source, title=title, heading=heading)))


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Lesson 2.2: Frames and Joints", "Joint limits"),
        ("Managing releases", "Roll back a release"),
        ("Tracking changes", "Compare versions"),
        ("Deprecated API Migration Guide", "v1.25"),
        ("The reactor", "Pressure 2.5"),
    ],
)
def test_a_passage_about_versions_is_no_changelog(title: str, heading: str) -> None:
    plain = passage(1, "A helm release can be rolled back.")
    named = replace(plain, source=replace(plain.source, title=title, heading=heading))

    assert not is_of_release(named)


def test_a_note_on_a_version_tells_of_a_release_and_what_stands_beside_it_does_not() -> None:
    told = passage(1, "It follows redirects. New in version 2.4: It retries.\n\n*Changed in 3.0.*")
    quotable = read_statements([told])

    places = told_of_releases([told], quotable)

    assert [quotable[place].statement.text for place in sorted(places)] == [
        "New in version 2.4: It retries.",
        "Changed in 3.0.",
    ]


def test_in_a_passage_of_two_sections_only_that_of_a_release_tells_of_it() -> None:
    plain = passage(1, "It follows redirects.\n\n## 1.2 (2020-03-01)\n\nIt retries.")
    sections = (Section(0, "Redirects", "/"), Section(23, "1.2 (2020-03-01)", "/#1-2"))
    told = replace(plain, source=replace(plain.source, heading="Redirects", sections=sections))
    quotable = read_statements([told])

    places = told_of_releases([told], quotable)

    assert [quotable[place].statement.text for place in sorted(places)] == [
        "1.2 (2020-03-01)",
        "It retries.",
    ]
