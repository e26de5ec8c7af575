"""Replies of a service, made up."""

from datetime import UTC, datetime

from sourcebook.surfaces.book.ingestion_schemas import JobOut
from sourcebook.surfaces.book.schemas import ChunkOut, SearchOut

CHUNK = {
    "chunk_id": "c1",
    "text": "Wren's knee bends to 2.27 radians.",
    "score": 0.59,
    "source_file": "module-1-ros2/README.md",
    "section_title": "Joint limits",
    "module": "ros2",
    "chapter": 2,
    "lesson": 2,
    "lesson_title": "Lesson 2.2",
    "lesson_description": None,
    "hardware_tier": 1,
    "proficiency_level": "B1",
    "layer": "L2",
    "chunk_index": 0,
    "total_chunks": 1,
    "parent_doc_id": "d1",
    "prev_chunk_id": None,
    "next_chunk_id": None,
    "content_hash": None,
    "citation": "Lesson 2.2 | Section: Joint limits | Module ROS2",
    "lesson_url": "https://example.org/docs/x",
    "start": 0,
    "end": 34,
    "line_start": 37,
    "line_end": 41,
}
JOB = {
    "job_id": 7,
    "book_id": "book",
    "mode": "incremental",
    "status": "running",
    "trigger": "api",
    "attempts": 1,
    "cancel_requested": False,
    "files_found": 0,
    "files_processed": 0,
    "files_skipped": 0,
    "files_failed": 0,
    "files_left": 0,
    "documents_deleted": 0,
    "chunks_created": 0,
    "chunks_deleted": 0,
    "chunks_embedded": 0,
    "chunks_reused": 0,
    "current_file": None,
    "eta_seconds": None,
    "queued_at": datetime(2026, 1, 1, tzinfo=UTC),
    "started_at": None,
    "completed_at": None,
    "duration_seconds": None,
    "commit": None,
    "error_message": None,
    "warnings": [],
}
LOST_PROBE = {
    "question": "How do I grip?",
    "path": "arms/02.md",
    "parent_doc_id": "d2",
    "found_at": "2026-01-01T12:00:00Z",
    "found_commit": None,
    "lost_at": "2026-01-02T12:00:00Z",
    "lost_commit": None,
}
SELF_TEST: dict[str, object] = {
    "tested_at": "2026-01-02T12:00:00Z",
    "commit": None,
    "probes": 200,
    "found": 200,
    "lost": 0,
    "never_found": 0,
    "unchecked": 0,
    "note": None,
    "newly_lost": [],
    "still_lost": [],
}


def chunk(**fields: object) -> ChunkOut:
    """A chunk that differs in these fields."""
    return ChunkOut(**{**CHUNK, **fields})  # type: ignore[arg-type]


def found(query: str, *chunks: ChunkOut) -> SearchOut:
    """A reply to a search."""
    return SearchOut(
        query=query,
        results=list(chunks),
        total_found=len(chunks),
        hardware_tier_filter=None,
        module_filter=None,
        book_id="book",
    )


def job(**fields: object) -> JobOut:
    """A job that differs in these fields."""
    return JobOut.model_validate({**JOB, **fields})
