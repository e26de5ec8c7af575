"""Which layout a run has: the request says it, else the settings, else the book, else the files."""

from dataclasses import replace

import pytest

from sourcebook.core.book_source import Listing, SourceFile
from sourcebook.core.books import KeptLayout
from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book.layout_choice import LayoutSettings, check_patterns, choose_layout

REQUEST = JobRequest("robots")
UNSET = LayoutSettings()
SET = LayoutSettings(("set/*.md",), ("set",))
ASKED = replace(REQUEST, patterns=("asked/*.md",), exclude=("asked",))
KEPT = KeptLayout("book", "robots", ("kept/*.md",), ("kept",), False, "/books", 1.0)
FOUND = replace(KEPT, patterns=("folders",), exclude=(), automatic=True)


def listing(*paths: str, source: str = "/books", single_file: bool = False) -> Listing:
    files = tuple(SourceFile(path, 1) for path in paths)
    return Listing(files, source=source, single_file=single_file)


NOTES = listing("notes/a.md")
LESSONS = listing("notes/a.md", "module-1/chapter-1/01-x.md")


@pytest.mark.parametrize(
    ("request_", "settings", "kept", "patterns", "exclude", "automatic"),
    [
        (ASKED, SET, KEPT, ("asked/*.md",), ("asked",), False),
        (REQUEST, SET, KEPT, ("set/*.md",), ("set",), False),
        (REQUEST, UNSET, KEPT, ("kept/*.md",), ("kept",), False),
        (REQUEST, UNSET, None, ("lessons",), (), True),
        # Each of the two is chosen on its own.
        (replace(REQUEST, exclude=("x",)), UNSET, KEPT, ("kept/*.md",), ("x",), False),
        (replace(REQUEST, exclude=()), UNSET, KEPT, ("kept/*.md",), (), False),
        (replace(REQUEST, patterns=("*.md",)), UNSET, KEPT, ("*.md",), ("kept",), False),
        # What is excluded is not looked at.
        (replace(REQUEST, exclude=("module-1",)), UNSET, None, ("folders",), ("module-1",), True),
        # What was found once holds, until somebody asks for a new look.
        (REQUEST, UNSET, FOUND, ("folders",), (), True),
        (replace(REQUEST, patterns=("auto",)), SET, FOUND, ("lessons",), ("set",), True),
        (REQUEST, LayoutSettings(("auto",)), KEPT, ("lessons",), ("kept",), True),
    ],
)
def test_the_request_comes_before_the_settings_before_the_book_before_the_files(
    request_: JobRequest,
    settings: LayoutSettings,
    kept: KeptLayout | None,
    patterns: tuple[str, ...],
    exclude: tuple[str, ...],
    automatic: bool,
) -> None:
    chosen = choose_layout(request_, settings, kept, LESSONS)

    assert (chosen.layout.patterns, chosen.layout.exclude) == (patterns, exclude)
    assert chosen.automatic == automatic


def test_what_was_found_in_one_source_is_not_taken_for_another() -> None:
    found_there = replace(FOUND, patterns=("lessons",), source="/elsewhere")
    chosen_there = replace(KEPT, source="/elsewhere")

    assert choose_layout(REQUEST, UNSET, found_there, NOTES).layout.patterns == ("folders",)
    assert choose_layout(REQUEST, UNSET, chosen_there, NOTES).layout.patterns == KEPT.patterns


def test_a_file_that_somebody_names_is_a_lesson_whatever_the_patterns_are() -> None:
    one = listing("kept.md", source="/books/kept.md", single_file=True)

    unasked = choose_layout(REQUEST, SET, KEPT, one)
    asked = choose_layout(ASKED, SET, KEPT, one)

    assert (unasked.layout.patterns, unasked.layout.exclude) == (("folders",), ())
    assert asked.layout.patterns == ASKED.patterns


def test_patterns_that_make_no_sense_are_refused_before_anything_runs() -> None:
    for bad in (("notes",), ("auto", "*.md")):
        with pytest.raises(ConfigurationError):
            LayoutSettings(bad)
        with pytest.raises(InvalidInput):
            check_patterns(replace(REQUEST, patterns=bad))
    with pytest.raises(ConfigurationError):
        LayoutSettings(exclude=("..",))
    with pytest.raises(InvalidInput):
        check_patterns(replace(REQUEST, exclude=("..",)))
    check_patterns(replace(REQUEST, patterns=("auto",)))
