"""Files give back what was written to them, and say where they are wrong."""

import gzip
import json
import sys
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from sourcebook.core.books import KeptLayout
from sourcebook.core.documents import Extent, Span
from sourcebook.core.errors import InvalidInput, SourcebookError
from sourcebook.ingestion.transfer.records import (
    MovedChunk,
    MovedCollection,
    MovedDocument,
    MovedRecord,
    ReadRecord,
)
from sourcebook.providers.transfer_files.files import open_record_writer, read_records

# As the ledger keeps vectors.
VECTOR = array("f", [0.1, -1 / 3, 1e-30, 123456.789]).tolist()
CHUNKS = (
    MovedChunk("One.", {"n": 1}, "id-1", Extent((Span(0, 4),), 1, 1), "f00", (VECTOR, VECTOR)),
    MovedChunk("Two…", {"tags": ["ä", None]}, "id-2", Extent((Span(5, 7), Span(7, 9)), 2, 3, 1)),
)
LESSONS = KeptLayout("parts", "wren", ("docs/**/*.md",), ("drafts/",), True, "docs", 12.5)
RECORDS: list[MovedRecord] = [
    MovedCollection("parts", {"owner": "Ada", "n": 10**30}, "minilm", "rev-1", (LESSONS,)),
    MovedDocument("a", "One.\nTwo…", {"x": [1, 2.5, True]}, "parts", CHUNKS, 1.5, 2.5, "v1"),
    MovedDocument("draft", "", {}, "parts", (), 1.0, 1.0, "v2"),
]


def write(path: Path, *records: MovedRecord) -> None:
    with open_record_writer(path) as writer:
        for record in records:
            writer.write(record)


async def read(path: Path) -> list[ReadRecord]:
    return [record async for record in read_records(path)]


def book_line(book: str) -> str:
    return f'{{"type": "collection", "collection": "c", "books": [{{{book}}}]}}'


def as_kept(record: MovedRecord | InvalidInput) -> MovedRecord | InvalidInput:
    """A record with its vectors as the ledger would keep them."""
    if not isinstance(record, MovedDocument) or record.chunks is None:
        return record
    return replace(
        record,
        chunks=tuple(
            replace(c, embedding=tuple(array("f", vector).tolist() for vector in c.embedding))
            for c in record.chunks
        ),
    )


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
async def test_what_is_written_is_read(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"out{ending}", *RECORDS)

    found = await read(tmp_path / f"out{ending}")

    assert [as_kept(record.content) for record in found] == RECORDS
    assert [record.place.split()[1] for record in found] == ["1", "2", "3"]


def test_parquet_names_the_extra_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(SourcebookError, match=r"pip install 'sourcebook\[parquet\]'"):
        write(tmp_path / "out.parquet", *RECORDS)

    assert [*tmp_path.iterdir()] == []


async def test_a_line_of_another_tool_needs_only_a_text(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "words"}\n\n{"id": 7, "text": "more"}\n')

    found = await read(tmp_path / "in.jsonl")

    assert found == [
        ReadRecord("line 1", MovedDocument(None, "words")),
        ReadRecord("line 3", MovedDocument("7", "more")),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "It is not JSON"),
        ("[1]", "It is no object"),
        ('{"id": "a"}', "'text': Field required"),
        ('{"text": 1}', "'text': Input should be a valid string"),
        ('{"text": "a", "title": "A"}', "'title' is not known: .*'metadata'"),
        ('{"text": "a", "type": "page"}', "'type' must be 'document' or 'collection'"),
        ('{"text": "a", "metadata": {"x": NaN}}', "NaN is no number"),
        ('{"text": "a", "chunks": [{"text": "a", "spans": []}]}', r"'chunks\.0\.spans'"),
        ('{"text": "a", "chunks": [{"text": "a", "spans": [[-1, 2]]}]}', r"'chunks\.0\.spans"),
        ('{"text": "a", "chunks": [{"text": "a", "vectors": [["x"]]}]}', r"'chunks\.0\.vectors"),
        ('{"type": "collection"}', "'collection': Field required"),
        # What would be stored, and then break every list that shows it.
        ('{"text": "a", "updated_at_s": 1e300}', "'updated_at_s': .* less than"),
        ('{"text": "a", "created_at_s": 1e999}', "'created_at_s': .* finite"),
        ('{"text": "a", "created_at_s": -1}', "'created_at_s': .* greater than"),
        ('{"text": "a", "chunks": [{"text": "a", "lines": [0, 1]}]}', r"'chunks\.0\.lines"),
        ('{"text": "a", "chunks": [{"text": "a", "overlap": 1e30}]}', r"'chunks\.0\.overlap"),
        (f'{{"text": "a", "chunks": [{{"text": "a", "lines": [1, {10**30}]}}]}}', "lines"),
        ('{"text": "a", "chunks": [{"text": "a", "id": "\\u0000"}]}', r"'chunks\.0\.id'"),
        ('{"text": "a", "chunks": [{"text": "a", "id": "\\ud800"}]}', r"'chunks\.0\.id'"),
        (book_line('"book_id": "\\u0000", "patterns": ["*.md"]'), r"'books\.0\.book_id'"),
        (book_line('"book_id": "b", "patterns": []'), r"'books\.0\.patterns'"),
        (book_line('"book_id": "b", "patterns": ["x"], "chosen_at_s": 1e300'), "chosen_at_s"),
    ],
)
async def test_a_bad_line_is_named_and_the_next_one_read(
    tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "in.jsonl").write_text(f'{line}\n{{"text": "good"}}\n')

    bad, good = await read(tmp_path / "in.jsonl")

    assert bad.place == "line 1"
    assert isinstance(bad.content, InvalidInput)
    with pytest.raises(InvalidInput, match=message):
        raise bad.content
    assert good.content == MovedDocument(None, "good")


async def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(b'{"text": "\xff"}\n')

    (bad,) = await read(tmp_path / "in.jsonl")

    assert isinstance(bad.content, InvalidInput)


async def test_a_cut_file_says_after_which_line(tmp_path: Path) -> None:
    lines = "".join(f'{{"text": "{n}{"x" * 50_000}"}}\n' for n in range(20))
    packed = gzip.compress(lines.encode(), compresslevel=0)
    (tmp_path / "in.jsonl.gz").write_bytes(packed[: len(packed) // 2])

    with pytest.raises(InvalidInput, match=r"'in\.jsonl\.gz' is damaged .* after line \d+"):
        await read(tmp_path / "in.jsonl.gz")


async def test_a_name_says_what_a_file_is(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"must end in \.jsonl, \.jsonl\.gz or \.parquet"):
        write(tmp_path / "out.txt", *RECORDS)
    with pytest.raises(InvalidInput, match="There is no file"):
        await read(tmp_path / "none.jsonl")


def test_an_export_that_fails_leaves_no_file(tmp_path: Path) -> None:
    unwritable = MovedDocument("a", "text", {"x": float("nan")})

    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path / "out.jsonl", RECORDS[0], unwritable)

    assert [*tmp_path.iterdir()] == []


async def test_a_file_is_replaced_only_if_told(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("mine")

    with pytest.raises(SourcebookError, match="exists already"):
        write(tmp_path / "out.jsonl", *RECORDS)

    assert (tmp_path / "out.jsonl").read_text() == "mine"


async def test_other_tools_find_plain_fields(tmp_path: Path) -> None:
    write(tmp_path / "out.jsonl", *RECORDS)

    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()

    document = json.loads(lines[1])
    assert (document["type"], document["collection"], document["id"]) == ("document", "parts", "a")
    assert document["chunks"][0]["spans"] == [[0, 4]]
    assert len(document["chunks"][0]["vectors"][0]) == 4
