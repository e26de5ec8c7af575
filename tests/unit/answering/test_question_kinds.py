"""What kind of answer a question wants."""

import pytest

from sourcebook.answering.question_kinds import asked_things, fits, question_kind, sides_of
from sourcebook.answering.statements import read_statements
from tests.unit.answering.passages import passage


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many cameras does the head have?", "figure"),
        ("What Node.js version do I need?", "figure"),
        ("default of queue.prefetch", "figure"),
        ("Which option makes the token valid forever?", "option"),
        ("what do I have to pass to see it", "option"),
        ("command to list all components", "option"),
        ("How do I take a backup?", "how-to"),
        ("use my own domain name, how?", "how-to"),
        ("How does a static variable differ from a constant?", "comparison"),
        ("liveness vs readiness probe", "comparison"),
        ("What is shuffle sharding?", "definition"),
        ("what's a mirror pod", "definition"),
        ("What are the phases of a launch?", "list"),
        ("cronjob timezone", "other"),
        ("Does deleting it delete its volumes?", "other"),
    ],
)
def test_the_words_of_a_question_tell_its_kind(question: str, kind: str) -> None:
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between a drain and a spill?", ({"drain"}, {"spill"})),
        ("liveness vs readiness probe", ({"live"}, {"readi", "probe"})),
        ("When are threads the better choice and when is async?", ({"thread"}, {"async"})),
        ("What is the difference between it and it?", None),
        ("What is a drain?", None),
        ("Drains compared with spills", ({"drain"}, {"spill"})),
        ("How did the level change compared with last year?", None),
        ("recv versus try_recv on a channel", ({"recv"}, {"tri"})),
        ("pumps: slow mode vs fast mode", ({"slow"}, {"fast"})),
        ("Soft and hard stops, how do they differ?", ({"soft"}, {"hard", "stop"})),
        ("Should I brake or coast, what is the difference?", ({"brake"}, {"coast"})),
    ],
)
def test_a_comparison_has_two_sides(question: str, sides: tuple[set[str], set[str]] | None) -> None:
    found = sides_of(question)

    if sides is None:
        assert found is None
    else:
        assert found is not None
        assert all(side <= one.stems for side, one in zip(sides, found, strict=True))
        assert all("i" not in one.stems for one in found)


def test_a_side_that_is_written_like_code_is_named_as_it_is() -> None:
    sides = sides_of("What is the difference between admin.conf and super-admin.conf?")

    assert sides is not None
    assert [one.is_named("Keep `super-admin.conf` safe.", frozenset()) for one in sides] == [
        False,
        True,
    ]


def test_what_two_sides_belong_to_is_no_part_of_their_names() -> None:
    sides = sides_of("difference between boat.sail and boat.row")

    assert sides is not None
    told = ["`Boat.sail()` needs wind.", "Call `boat.rows` first.", "`Boat.row()` needs arms."]
    assert [[one.is_named(text, frozenset()) for text in told] for one in sides] == [
        [True, False, False],
        [False, False, True],
    ]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What is the difference between Boat 3.11 and 3.12?", "Step 11 is on page 12."),
        ("config.yaml vs config.json", "Keep `values.yaml` and `package.json`."),
    ],
)
def test_a_version_or_the_end_of_a_files_name_is_no_name(question: str, other: str) -> None:
    sides = sides_of(question)

    assert sides is not None
    assert not any(one.is_named(other, frozenset()) for one in sides)


def test_an_article_is_no_name_of_a_side() -> None:
    sides = sides_of("What is the difference between the H1 and the H2?")

    assert sides is not None
    assert [one.is_named("The H1 is the old one.", frozenset()) for one in sides] == [True, False]


@pytest.mark.parametrize(("row", "fitting"), [("`--skip`", True), ("Friday", False)])
def test_a_row_with_an_option_says_how_to_do_something(row: str, *, fitting: bool) -> None:
    table = passage(1, f"| What | Effect |\n|---|---|\n| {row} | Deploys without building. |")
    quotable = read_statements([table])
    place = next(place for place, one in enumerate(quotable) if one.kind == "row")

    shape = fits("how-to", "How do I deploy without building?", quotable, place, table)

    assert shape is fitting


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Which options does the hub have?", "option"),
        ("What exit codes can it return?", "code"),
        ("What do the colours mean?", "colour"),
        ("What do the colours of the ring stand for?", "colour"),
        ("What do these error codes mean?", "code"),
        ("Which bus is the fastest?", "bus"),
        ("What does the colour mean?", None),
        ("Which class does it have?", None),
        ("How do the lamps work?", None),
    ],
)
def test_who_asks_for_several_things_names_them(question: str, things: str | None) -> None:
    assert asked_things(question) == things
