"""What a book says beside its subject, and who asks for that."""

from dataclasses import replace

import pytest

from sourcebook.answering.evidence import Passage, Section
from sourcebook.answering.side_matter import SideMatter
from sourcebook.answering.statements import read_statements
from tests.unit.answering.passages import passage

PLAIN = "How fast is it?"


def named(title: str, heading: str = "", text: str = "It sails.") -> Passage:
    plain = passage(1, text)
    return replace(plain, source=replace(plain.source, title=title, heading=heading))


def beside(question: str, told: Passage) -> list[str]:
    """The statements that are beside the subject."""
    quotable = read_statements([told])
    places = SideMatter(question).places([told], quotable)
    return [quotable[place].statement.text for place in sorted(places)]


@pytest.mark.parametrize(
    "told",
    [
        named("Release notes", "Quality assurance"),
        named("Boat release notes", "Sails"),
        named("Changelog"),
        named("What’s New", "Sessions"),
        named("What's new in Boat 5"),
        named("Changes", "Version 2.9"),
        named("Change history", text="## 4.3.0 RC1\n\nIt sails."),
        named("Change history for Boat 1.0", "News", text="## 1.0.1\n\nIt sails."),
        named("Community Updates", "0.10.3 (2012-02-20)"),
        named("News of the project", "Boat 1.1.0 (unreleased)"),
        named("Boat", "[1.2.0] - 2020-01-01"),
        named("Boat", "v3.1.4, March 6, 2024"),
        named("Boat", "2.0 – 6 March 2024"),
        named("Boat", "1.0.1 2024-03-06 [YANKED]"),
        named("News", text="Boat 2.1\n========\n\nIt sails."),
        named("Lesson 1", "Learning Objectives"),
        named("Lesson 1", "📚 Learning objectives"),
        named("Lesson 1", "What you'll learn"),
        named("Lesson 1", "Next Lesson"),
        named("Pods", "What's next"),
        named("Module 1", "Table of Contents"),
        named("References", "Papers on sails", "Fox et al., On sails (2019)"),
        named("Lesson 1", "7. Additional Resources", "[Sails](https://boats.example)"),
        named("Boats", "See also"),
        named("Assignment", "Grading Rubric"),
        named("Assignment", "6. Sails (10 points)"),
    ],
    ids=lambda told: f"{told.source.title} › {told.source.heading}",
)
def test_such_a_passage_is_beside_the_subject(told: Passage) -> None:
    assert SideMatter(PLAIN).holds(told)


@pytest.mark.parametrize(
    "told",
    [
        named("Lesson 2.2: Frames and Joints", "Joint limits"),
        named("Managing releases", "Roll back a release"),
        named("Tracking changes", "Compare versions"),
        named("Deprecated API Migration Guide", "v1.25"),
        named("The reactor", "Pressure 2.5"),
        named("Banks", "5.1 The crisis of 2008"),
        named("Results", "3.1 Results in 2019"),
        named("Results", "Table 2.1: Sales, 2019"),
        named("The end of the war", "5.3 May 8, 1945"),
        named("Teaching", "Lecture 3.1 – March 4, 2024"),
        named("Football", "4.1 2019-20 season"),
        named("News", text="Profit rose by 2.5 million."),
        named("Releases", "Create a release", "Name it by its tag, such as v1.0."),
        named("Prices", "Sales tax (20%)"),
        named("Workers", "Acknowledgements"),
        named("Language guide", "References"),
        named("Guest handbook", "Useful information"),
        named("Settings", "2.3 Set the size to 2048"),
        named("Fares", "Changes"),
        named("Changes"),
        named("Version history"),
        named("News"),
        named("Generating a changelog"),
        named("Automatically generated release notes"),
        named("References and Borrowing"),
        named("Objectives"),
        named("Pods", "Resources"),
        named("Pages", "Links"),
        named("Goals of the company"),
        named("How to read the table of contents"),
        named("Next Steps", "Starting the worker"),
        named("Next Steps", "Next Steps"),
    ],
    ids=lambda told: f"{told.source.title} › {told.source.heading}",
)
def test_a_passage_that_only_sounds_like_it_is_not(told: Passage) -> None:
    assert not SideMatter(PLAIN).holds(told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What's new in 2.8?", named("Changelog")),
        ("When was Python 2 dropped?", named("Changelog")),
        ("Since when does it follow redirects?", named("Changelog")),
        ("Is the old parser still there?", named("Changelog")),
        ("Which release added sessions?", named("Changelog")),
        ("How do I upgrade?", named("Changelog")),
        ("Does v2 support async?", named("Changelog")),
        ("What does version 3 bring?", named("Changelog")),
        ("Is Angular 17 supported?", named("Changelog")),
        ("Which versions support async?", named("Changelog")),
        ("What is the current version?", named("Changelog")),
        ("What happened to foo?", named("Changelog")),
        ("Is it affected by CVE-2021-3456?", named("Changelog")),
        ("What are the breaking changes?", named("Changelog")),
        ("What are the new features?", named("Changelog")),
        ("Which security fixes are there?", named("Changelog")),
        ("What comes in the next release?", named("Changelog")),
        ("How do I write release notes?", named("Boat", "Write release notes")),
        ("Was hat sich zuletzt geändert?", named("Changelog")),
        ("Can I work with a partner?", named("Task", "Academic integrity")),
        ("How much does the quiz count?", named("Task", "Grading")),
        ("What will I learn in lesson 1?", named("Lesson 1", "Learning objectives")),
        ("What comes after nodes?", named("Lesson 1", "Next lesson")),
        ("Which papers are there on sails?", named("References")),
        ("Who wrote about sails?", named("Bibliography")),
        ("How many points is the report worth?", named("Task", "Report (10 points)")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_asks_for_it_may_get_it(question: str, told: Passage) -> None:
    assert not SideMatter(question).holds(told)


@pytest.mark.parametrize(
    "question",
    [
        "Does it follow redirects?",
        "How do I create a new project?",
        "Which Python versions of it?",
        "How do I remove whitespace?",
        "How do I change the port?",
        "When is the cache cleared?",
        "When does a request time out?",
        "How do I release a lock?",
        "How do I report a bug?",
        "Are duplicates removed?",
    ],
)
def test_most_questions_ask_how_things_are(question: str) -> None:
    assert SideMatter(question).holds(named("Changelog"))


@pytest.mark.parametrize(
    "note",
    ["New in version 2.4: It retries.", "*Changed in 3.0.*", "Added since release 5."],
)
def test_a_note_on_a_release_is_beside_the_subject_wherever_it_stands(note: str) -> None:
    told = named("Redirects", text=f"It follows redirects.\n\n{note}")

    assert beside(PLAIN, told) == [note.strip("*")]


@pytest.mark.parametrize(
    "note",
    [
        "Deprecated since version 2.0: it loses data.",
        "Removed in version 3.0.",
        "Introduced in 1987, it is a programme.",
        "Updated in 2024: fees are 30 euros.",
        "Added in 3 steps, the flour is mixed.",
        "Added in 0.5 g portions, the acid stays cool.",
    ],
)
def test_what_holds_now_is_no_note_on_a_release(note: str) -> None:
    assert beside(PLAIN, named("Redirects", text=f"It follows redirects.\n\n{note}")) == []


def test_in_a_passage_of_two_sections_only_one_may_be_beside_the_subject() -> None:
    text = "It follows redirects, and it does so at once.\n\n## 1.2 (2020-03-01)\n\nIt retries."
    start = text.index("##")
    sections = (Section(0, "Redirects", "/"), Section(start, "1.2 (2020-03-01)", "/#1-2"))
    plain = named("Boat", "Redirects", text)
    told = replace(plain, source=replace(plain.source, sections=sections))

    assert not SideMatter(PLAIN).holds(told)
    assert beside(PLAIN, told) == ["1.2 (2020-03-01)", "It retries."]
