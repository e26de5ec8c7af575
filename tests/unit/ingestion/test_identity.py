"""Ids follow from content and keep their parts apart."""

from sourcebook.core.documents import Chunk
from sourcebook.core.point_ids import point_ids
from sourcebook.ingestion.identity import chunk_id, digest, hash_text


def test_the_same_text_has_its_own_chunk_in_every_place() -> None:
    text = hash_text("same")
    ids = {
        chunk_id("book", "lesson-1", text, 0),
        chunk_id("book", "lesson-1", text, 1),
        chunk_id("book", "lesson-2", text, 0),
        chunk_id("other", "lesson-1", text, 0),
    }

    assert len(ids) == 4


def test_ids_are_the_same_every_time() -> None:
    assert chunk_id("b", "d", hash_text("t"), 0) == "19a879d4-644f-5dfe-9581-4cc292e1402d"


def test_parts_of_an_id_cannot_run_into_each_other() -> None:
    assert chunk_id("a", "b:c", "h", 0) != chunk_id("a:b", "c", "h", 0)


def test_points_belong_to_one_version() -> None:
    assert not set(point_ids("chunk", "v1", 3)) & set(point_ids("chunk", "v2", 3))
    assert len(set(point_ids("chunk", "v1", 3))) == 3


def test_the_digest_changes_with_text_and_metadata_alone() -> None:
    chunk = Chunk("id", "doc", 0, "text", {"a": 1, "b": 2})

    assert digest(chunk) == digest(Chunk("other", "doc", 5, "text", {"b": 2, "a": 1}))
    assert digest(chunk) != digest(Chunk("id", "doc", 0, "texts", {"a": 1, "b": 2}))
    assert digest(chunk) != digest(Chunk("id", "doc", 0, "text", {"a": 1, "b": 3}))
