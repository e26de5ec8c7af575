"""Files are read in the order that a table of contents has."""

from sourcebook.core.reading_order import reading_order


def test_a_folder_begins_with_its_own_page_and_ten_comes_after_nine() -> None:
    paths = [
        "b/chapter-10/01-last.md",
        "b/chapter-9/02-second.md",
        "b/chapter-9/README.md",
        "b/chapter-9/01-first.md",
        "b/index.mdx",
        "a.md",
    ]

    assert sorted(paths, key=reading_order) == [
        "a.md",
        "b/index.mdx",
        "b/chapter-9/README.md",
        "b/chapter-9/01-first.md",
        "b/chapter-9/02-second.md",
        "b/chapter-10/01-last.md",
    ]


def test_names_of_any_kind_can_be_compared() -> None:
    paths = ["1/a", "a/1", "²/x", "9" * 5_000 + "/x", "", "/", "a//b", "٣/x"]

    assert len(sorted(paths, key=reading_order)) == len(paths)
