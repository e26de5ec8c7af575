"""Parquet files give back what was written to them, and say where they are damaged."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sourcebook.core.errors import InvalidInput
from sourcebook.ingestion.transfer.records import MovedDocument
from sourcebook.providers.transfer_files.parquet import MAX_GROUP_ROWS
from tests.unit.providers.transfer_files.test_files import RECORDS, as_kept, read, write


async def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "out.parquet", *RECORDS)

    found = await read(tmp_path / "out.parquet")

    assert [as_kept(record.content) for record in found] == RECORDS
    assert [record.place for record in found] == ["row 1", "row 2", "row 3"]


async def test_rows_are_written_in_groups(tmp_path: Path) -> None:
    documents = [MovedDocument(str(n), f"text {n}", chunks=()) for n in range(MAX_GROUP_ROWS + 1)]
    write(tmp_path / "out.parquet", *documents)

    assert pq.ParquetFile(tmp_path / "out.parquet").num_row_groups == 2
    assert len(await read(tmp_path / "out.parquet")) == len(documents)


async def test_a_large_text_is_a_group_of_its_own(tmp_path: Path) -> None:
    documents = [MovedDocument(str(n), "x" * 20_000_000, chunks=()) for n in range(2)]
    write(tmp_path / "out.parquet", *documents)

    assert pq.ParquetFile(tmp_path / "out.parquet").num_row_groups == 2


async def test_other_tools_find_one_row_for_each_document(tmp_path: Path) -> None:
    write(tmp_path / "out.parquet", *RECORDS)

    table = pq.read_table(tmp_path / "out.parquet", filters=[("type", "=", "document")])

    assert table.column("id").to_pylist() == ["a", "draft"]
    assert table.column("metadata").to_pylist() == ['{"x": [1, 2.5, true]}', "{}"]


async def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_text("no parquet")

    with pytest.raises(InvalidInput, match=r"'in\.parquet' is no Parquet file"):
        await read(tmp_path / "in.parquet")
