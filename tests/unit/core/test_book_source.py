import pytest

from sourcebook.core.book_source import Listing, SourceFile, describe_kinds


def test_files_and_unseen_paths_are_kept_in_order() -> None:
    listing = Listing((SourceFile("b.md", 1), SourceFile("a.md", 2)), unseen=("z/", "c.md"))
    assert [file.path for file in listing.files] == ["a.md", "b.md"]
    assert listing.unseen == ("c.md", "z/")


def test_only_what_is_listed_or_could_not_be_looked_at_may_exist() -> None:
    listing = Listing(
        (SourceFile("one/a.md", 1), SourceFile("two.md", 1)), unseen=("dark/", "one/large.md")
    )
    for path in ("one/a.md", "two.md", "one/large.md", "dark/a.md", "dark/deep/b.md"):
        assert listing.may_exist(path), path
    for path in ("one", "one/b.md", "dark", "darker/a.md", "a.md", "one/large.md2", ""):
        assert not listing.may_exist(path), path


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, ""),
        ({".html": 3, ".pdf": 12}, "12 .pdf, 3 .html"),
        ({"other": 2, ".pdf": 1}, "1 .pdf, 2 of other kinds"),
        ({f".x{n}": 1 for n in range(7)}, "1 .x0, 1 .x1, 1 .x2, 1 .x3, 1 .x4, 2 of other kinds"),
    ],
)
def test_the_most_of_other_files_are_named_by_kind(files: dict[str, int], said: str) -> None:
    assert describe_kinds(files) == said
