from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook import samples
from sourcebook.core.errors import ConfigurationError
from sourcebook.ingestion.book.layout import EVERYTHING_PATTERNS, Layout, Place

NAMES = st.text("abm01-_.*", min_size=1, max_size=12)


@pytest.mark.spec("002 FR-001")
@pytest.mark.parametrize(
    ("path", "place"),
    [
        (
            "module-1-ros2/chapter-4-first-code/02-writing.md",
            Place("ros2", 4, 2, "lesson"),
        ),
        ("module-1-ros2/chapter-04-x/2-.mdx", Place("ros2", 4, 2, "lesson")),
        ("module-2-simulation/chapter-7-x/README.md", Place("gazebo", 7, 0, "chapter")),
        ("module-2-simulation/chapter-7-x/index.mdx", Place("gazebo", 7, 0, "chapter")),
        ("module-4-vla/readme.MD", Place("vla", 0, 0, "module")),
        ("module-12-a-long-name/README.md", Place("a-long-name", 0, 0, "module")),
        ("module-1-ros2/chapter-999999999-x/1-y.md", Place("ros2", 999_999_999, 1, "lesson")),
    ],
)
def test_the_default_layout_is_robolearns(path: str, place: Place) -> None:
    assert Layout(aliases={"simulation": "gazebo"}).place(path) == place


@pytest.mark.parametrize(
    "path",
    [
        "preface.md",
        "README.md",
        "module-1-ros2/chapter-4-first-code/glossary.md",
        "module-1-ros2/chapter-4-first-code/02.md",
        "module-1-ros2/chapter-4-first-code/deep/02-x.md",
        "module-1-ros2/chapter-four-first-code/02-x.md",
        "module-1-ros2/chapter-1234567890-x/02-x.md",
        "module-1-ros2/chapter-٤-x/02-x.md",
        "module-1-/README.md",
        "module-1-ros2/02-x.txt",
        "docs/module-1-ros2/chapter-4-x/02-x.md",
        "",
    ],
)
def test_what_no_template_describes_has_no_place(path: str) -> None:
    assert Layout().place(path) is None


def test_every_file_of_the_sample_book_has_a_place() -> None:
    book = Path(samples.__file__).parent / "book"
    paths = [path.relative_to(book).as_posix() for path in book.rglob("*.md")]
    places = [Layout().place(path) for path in paths]
    assert places
    assert None not in places
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("pattern", "path", "place"),
    [
        (
            "modules/{module}/lessons/lesson{lesson}_*.md",
            "modules/module01/lessons/lesson02_units_and_dimensions.md",
            Place("module01", 0, 2, "lesson"),
        ),
        (
            "module-{module_number}-{module}/week-{chapter}-lesson-{lesson}-*.md",
            "module-2-gazebo-unity/week-7-lesson-3-sensor-simulation.md",
            Place("gazebo-unity", 7, 3, "lesson"),
        ),
        (
            "module-{module_number}-{module}/intro.md",
            "module-3-isaac/intro.md",
            Place("isaac", 0, 0, "module"),
        ),
        ("**/*.md", "setup/deep/lab.md", Place(None, 0, 0, "page")),
        ("**/*.md", "README.md", Place(None, 0, 0, "page")),
        ("docs/**/{lesson}-*.md", "docs/3-x.md", Place(None, 0, 3, "lesson")),
        ("docs/**/{lesson}-*.md", "docs/a/b/3-x.md", Place(None, 0, 3, "lesson")),
        ("**/{module}/{lesson}.md", "a/b/7.md", Place("b", 0, 7, "lesson")),
        ("**/README.md", "a/Index.md", Place(None, 0, 0, "page")),
        ("*-{chapter}-*-{lesson}.md", "a-b-1-c-2-d-3.md", Place(None, 1, 3, "lesson")),
        ("{module}-{lesson}.md", "a-b-3.md", Place("a-b", 0, 3, "lesson")),
        ("[a](b)+.md", "[a](b)+.md", Place(None, 0, 0, "page")),
        ("module-{module_number}/*.md", "module-3/x.md", Place(None, 0, 0, "module")),
    ],
)
def test_templates_describe_other_books(pattern: str, path: str, place: Place) -> None:
    assert Layout([pattern]).place(path) == place


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/**/*.md", "other/a.md"),
        ("docs/**/*.md", "docs"),
        ("**/{lesson}.md", "a/x7.md"),
        ("a.md", "aXmd"),
        ("a.mdx", "a.md"),
        ("*a*b.md", "xbxa.md"),
        ("{module}.md", ".md"),
    ],
)
def test_templates_fit_whole_paths_only(pattern: str, path: str) -> None:
    assert Layout([pattern]).place(path) is None


def test_the_first_template_that_fits_decides() -> None:
    layout = Layout(["{chapter}/{lesson}-*.md", *EVERYTHING_PATTERNS])
    assert layout.place("3/4-x.md") == Place(None, 3, 4, "lesson")
    assert layout.place("3/x.md") == Place(None, 0, 0, "page")


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "  ",
        "/a.md",
        "a//b.md",
        "../a.md",
        "a/./b.md",
        "a/*",
        "a.txt",
        "**/a/**/b.md",
        "{unit}/a.md",
        "{}/a.md",
        "{lesson/a.md",
        "lesson}.md",
        "{lesson}-{lesson}.md",
        "{chapter}/{chapter}.md",
        "{chapter}{lesson}.md",
        "a1{lesson}.md",
        "{lesson}2.md",
        "***/a.md",
        "a**.md",
        "*{module}.md",
        "**",
    ],
)
def test_a_template_that_makes_no_sense_is_refused_with_an_example(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="An example: 'module-"):
        Layout([pattern])


@given(path=st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_the_layout_of_everything_takes_every_markdown_file(path: str) -> None:
    assert Layout(EVERYTHING_PATTERNS).place(path + ".md") == Place(None, 0, 0, "page")
    assert Layout(EVERYTHING_PATTERNS).place(path + ".txt") is None


def test_names_that_almost_fit_many_wildcards_are_refused_at_once() -> None:
    layout = Layout(["*a*a*a*a*a*a*a*a*a*a*{lesson}*a*b.md", "{module}-*-*-*-*-*-*-*-{lesson}.md"])
    assert layout.place("a" * 4000 + ".md") is None
    assert layout.place("-" * 4000 + ".md") is None
    assert layout.place("1-a" * 1300 + ".md") is None
