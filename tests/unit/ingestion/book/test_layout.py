from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook import samples
from sourcebook.core.errors import ConfigurationError
from sourcebook.ingestion.book.layout import Layout, fitting_layout
from sourcebook.ingestion.book.place import Place

EVERYTHING = ("**/*.md",)

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
        ("module-2/chapter-2/01-lesson.md", Place("module-2", 2, 1, "lesson")),
        ("module-2/chapter-2-x/01-lesson.markdown", Place("module-2", 2, 1, "lesson")),
        ("module-1-ros2/chapter-2/README.markdown", Place("ros2", 2, 0, "chapter")),
        ("module-2/index.md", Place("module-2", 0, 0, "module")),
        (
            "docs/module-2-simulation/chapter-4-x/02-x.md",
            Place("gazebo", 4, 2, "lesson", root="docs"),
        ),
        ("docs/module-2/chapter-2/01-lesson.md", Place("module-2", 2, 1, "lesson", root="docs")),
    ],
)
def test_the_layout_of_lessons_is_robolearns(path: str, place: Place) -> None:
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
        "docs/docs/module-1-ros2/chapter-4-x/02-x.md",
        "module-1-ros2/chapter-4/lesson.md",
        "module-1-ros2/chapter-/02-x.md",
        "modules/module-1-ros2/chapter-4-x/02-x.md",
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
    layout = Layout(["{chapter}/{lesson}-*.md", *EVERYTHING])
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
        "a.t x t",
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
    assert Layout(EVERYTHING).place(path + ".md") == Place(None, 0, 0, "page")
    assert Layout(EVERYTHING).place(path + ".txt") is None


def test_names_that_almost_fit_many_wildcards_are_refused_at_once() -> None:
    layout = Layout(["*a*a*a*a*a*a*a*a*a*a*{lesson}*a*b.md", "{module}-*-*-*-*-*-*-*-{lesson}.md"])
    assert layout.place("a" * 4000 + ".md") is None
    assert layout.place("-" * 4000 + ".md") is None
    assert layout.place("1-a" * 1300 + ".md") is None


@pytest.mark.parametrize(
    ("path", "place"),
    [
        # The humanoid textbook, the Rust book, the Kubernetes docs, the Physical AI curriculum.
        ("docs/module-1-ros2/week-3-lesson-2-nodes.md", Place("ros2", 3, 2, "lesson", "docs")),
        ("docs/module-2-simulation/intro.md", Place("gazebo", 0, 0, "lesson", "docs")),
        ("src/ch01-02-hello-world.md", Place(None, 1, 2, "lesson")),
        ("src/appendix-01-keywords.md", Place(None, 0, 0, "lesson")),
        (
            "content/en/docs/concepts/storage/_index.md",
            Place("concepts", 0, 0, "module", "content/en/docs"),
        ),
        ("book/modules/module01/lessons/lesson02_units.md", Place("module01", 0, 2, "lesson")),
        ("notes.md", Place(None, 0, 0, "lesson")),
        ("README.md", Place(None, 0, 0, "page")),
        ("docs/README.md", Place(None, 0, 0, "page", "docs")),
        ("guides/README.md", Place("guides", 0, 0, "module")),
        ("guides/docs/intro.md", Place("guides", 0, 0, "lesson")),
        ("02-ownership/03-slices.markdown", Place("ownership", 2, 3, "lesson")),
        ("02-ownership/index.mdx", Place("ownership", 2, 0, "chapter")),
        ("part-1/04-traits/2. bounds.md", Place("part-1", 4, 2, "lesson")),
        ("module-1-ros2/week-3-nodes/setup.md", Place("ros2", 3, 0, "lesson")),
        ("module-1-ros2/section/chapter-7/01-x.md", Place("ros2", 7, 1, "lesson")),
        ("chapter-3-arms/02-x.md", Place(None, 3, 2, "lesson")),
        ("blog/2023-05-01-news.md", Place("blog", 0, 0, "lesson")),
        ("3d-printing/802dot11.md", Place("3d-printing", 0, 0, "lesson")),
        # What the layout of lessons knows stands where it stands there.
        ("module-2-simulation/chapter-7-x/03-y.md", Place("gazebo", 7, 3, "lesson")),
        ("module-2/chapter-7/README.md", Place("module-2", 7, 0, "chapter")),
    ],
)
def test_the_layout_of_folders_takes_every_file_and_what_its_names_tell(
    path: str, place: Place
) -> None:
    assert Layout(["folders"], {"simulation": "gazebo"}).place(path) == place


@given(path=st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_every_path_has_a_place_in_the_layout_of_folders(path: str) -> None:
    place = Layout(["folders"]).place(path + ".md")

    assert place is not None
    assert 0 <= place.chapter < 1_000_000_000
    assert place.root == "" or path.startswith(place.root + "/")
    lesson = Layout(["lessons"]).place(path + ".md")
    assert lesson in {None, place}


@pytest.mark.parametrize(
    ("paths", "word"),
    [
        (["README.md", "notes/a.md", "module-1/chapter-1/01-x.md"], "lessons"),
        (["docs/module-1-a/chapter-1-b/01-x.mdx"], "lessons"),
        # Pages of modules alone make no book of lessons.
        (["module-1-ros2/README.md", "module-1-ros2/week-3/01-x.md"], "folders"),
        (["notes.md"], "folders"),
        ([], "folders"),
    ],
)
def test_a_book_with_a_lesson_has_the_layout_of_lessons(paths: list[str], word: str) -> None:
    assert fitting_layout(paths) == word


def test_words_and_templates_can_stand_together() -> None:
    layout = Layout(["notes/{lesson}_*.md", "lessons", "folders"])

    assert layout.place("notes/3_x.md") == Place(None, 0, 3, "lesson")
    assert layout.place("notes/x.md") == Place("notes", 0, 0, "lesson")


@pytest.mark.parametrize(
    ("pattern", "excluded", "kept"),
    [
        ("drafts", ["drafts/a.md", "drafts/deep/b.md"], ["a/drafts/b.md", "drafts2/a.md"]),
        ("drafts/", ["drafts/a.md"], ["drafts.md"]),
        ("drafts/**", ["drafts/a.md", "drafts/deep/b.md"], ["drafts.md"]),
        ("**/old", ["old/a.md", "a/b/old/c.md"], ["older/a.md", "a/old.md"]),
        ("**/old/**", ["old/a.md", "a/old/b/c.md"], ["a/older/b.md"]),
        ("**/CHANGELOG.md", ["CHANGELOG.md", "a/CHANGELOG.MDX"], ["a/CHANGES.md"]),
        ("**/draft-*.md", ["a/draft-1.markdown"], ["a/my-draft-1.md"]),
        ("a/*/x", ["a/b/x/1.md"], ["a/x/1.md", "a/b/c/x/1.md"]),
    ],
)
def test_what_is_excluded_goes_with_all_that_is_in_it(
    pattern: str, excluded: list[str], kept: list[str]
) -> None:
    layout = Layout(["folders"], exclude=[pattern])

    assert [path for path in [*excluded, *kept] if layout.excludes(path)] == excluded


@pytest.mark.parametrize(
    "pattern", ["", " ", "/", "**", "/**", "../a", "/etc", "a//b", "**/a/**/b", "{lesson}", "a\x00"]
)
def test_an_exclude_pattern_that_makes_no_sense_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="An example: 'drafts'"):
        Layout(exclude=[pattern])
