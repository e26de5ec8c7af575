"""What a run would do follows from files and documents alone."""

from dataclasses import replace

from sourcebook.core.book_source import Listing, SourceFile
from sourcebook.core.documents import DocumentHeader
from sourcebook.ingestion.book.changes import Changes, ScannedBook, compare
from sourcebook.ingestion.book.lessons import BookFile, book_file
from sourcebook.ingestion.book.place import Place
from sourcebook.ingestion.chunking.limits import MARKDOWN_LIMITS

PLACE = Place("ros2", 1, 1, "lesson")


def _file(path: str, content: bytes = b"text") -> BookFile:
    return book_file("book", path, PLACE, content, "model")


def _header(file: BookFile) -> DocumentHeader:
    return DocumentHeader(
        file.document_id,
        "v1",
        {
            "source_file": file.path,
            "source_file_hash": file.file_hash,
            "fingerprint": file.fingerprint,
        },
    )


def _compare(
    files: list[BookFile], known: list[BookFile], *, unseen: tuple[str, ...] = ()
) -> Changes:
    listing = Listing(tuple(SourceFile(file.path, 4) for file in files), unseen=unseen)
    found = ScannedBook(tuple(files), frozenset(), (), listing)
    return compare(found, [_header(file) for file in known])


def test_a_file_is_new_modified_or_unchanged() -> None:
    changes = _compare([_file("a"), _file("b", b"new"), _file("c")], [_file("b"), _file("c")])

    assert [file.path for file in changes.new] == ["a"]
    assert [file.path for file in changes.modified] == ["b"]
    assert [file.path for file in changes.unchanged] == ["c"]
    assert changes.deleted == ()


def test_another_model_place_or_chunker_is_a_modification() -> None:
    same = book_file("book", "a", PLACE, b"text", "model")

    assert book_file("book", "a", PLACE, b"text", "other").fingerprint != same.fingerprint
    moved = Place("gazebo", 1, 1, "lesson")
    assert book_file("book", "a", moved, b"text", "model").fingerprint != same.fingerprint
    assert book_file("book", "a", PLACE, b"text", "model") == same


def test_another_chunk_size_is_a_modification() -> None:
    other = replace(MARKDOWN_LIMITS, target=MARKDOWN_LIMITS.target - 1)
    resized = book_file("book", "a", PLACE, b"text", "model", limits=other)

    assert [file.path for file in _compare([resized], [_file("a")]).modified] == ["a"]


def test_two_books_give_the_same_file_two_ids() -> None:
    assert _file("a").document_id != book_file("other", "a", PLACE, b"", "model").document_id


def test_few_deletions_are_no_alarm() -> None:
    known = [_file(f"{n}", f"{n}".encode()) for n in range(20)]

    assert not _compare(known[5:], known).alarming
    assert _compare(known[6:], known).alarming


def test_a_fifth_of_a_large_book_may_go() -> None:
    known = [_file(f"{n}", f"{n}".encode()) for n in range(100)]

    assert not _compare(known[20:], known).alarming
    assert _compare(known[21:], known).alarming


def test_what_may_lie_where_nobody_could_look_is_not_deleted() -> None:
    known = [_file("module/a.md"), _file("other/b.md")]

    changes = _compare([], known, unseen=("module/",))

    assert [header.metadata["source_file"] for header in changes.deleted] == ["other/b.md"]


def test_a_file_that_the_patterns_no_longer_take_is_removed() -> None:
    known = [_file("old.md")]
    listing = Listing((SourceFile("old.md", 4),))

    changes = compare(ScannedBook((), frozenset(), (), listing), [_header(known[0])])

    assert len(changes.deleted) == 1


def test_a_small_book_that_lost_every_file_is_an_alarm() -> None:
    known = [_file("a"), _file("b", b"other")]

    assert _compare([], known).alarming
    assert not _compare(known[:1], known).alarming


def test_what_others_posted_under_the_book_is_not_ours_to_delete() -> None:
    posted = DocumentHeader("theirs", "v1", {"book_id": "book", "source_file": "x.md"})
    listing = Listing(())

    changes = compare(ScannedBook((), frozenset(), (), listing), [posted])

    assert changes.deleted == ()
