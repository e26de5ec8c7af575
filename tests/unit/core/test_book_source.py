from sourcebook.core.book_source import Listing, SourceFile


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
