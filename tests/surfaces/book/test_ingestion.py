"""Ingestion by hand: ordered, watched, previewed and cancelled."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.jobs import IngestJob, JobRequest, Progress
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.job_runner import LEASE_S
from sourcebook.service.wiring.ingestion import BookConfig, assemble_book
from sourcebook.surfaces.book.ingestion_results import job_out
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.memory_store import MemoryStore
from tests.surfaces.book.sample_book import (
    ADMIN,
    BOOK,
    CHAPTER,
    JOINTS,
    KEY,
    LESSONS,
    PUBLISHER,
    Library,
    id_of,
    section,
)

JOB_KEYS = {
    "job_id",
    "book_id",
    "mode",
    "status",
    "files_processed",
    "files_skipped",
    "chunks_created",
    "chunks_deleted",
    "started_at",
    "completed_at",
    "duration_seconds",
    "error_message",
    # Ours, besides those of the contract:
    "trigger",
    "attempts",
    "cancel_requested",
    "files_found",
    "files_failed",
    "files_left",
    "documents_deleted",
    "chunks_embedded",
    "chunks_reused",
    "current_file",
    "eta_seconds",
    "queued_at",
    "commit",
    "warnings",
    "warning_count",
    "files_unmatched",
    "other_files",
    "self_test",
}
CHANGES_KEYS = {
    "new",
    "modified",
    "deleted",
    "unchanged",
    "unreadable",
    "warnings",
    "warning_count",
    "files_unmatched",
    "other_files",
    "lost",
    "would_process",
    "would_refuse",
    "example",
}


async def order(client: httpx2.AsyncClient, **body: object) -> int:
    reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)
    assert reply.status_code == 202, reply.text
    assert reply.json() == {"job_id": reply.json()["job_id"], "status": "queued"}
    job_id: int = reply.json()["job_id"]
    return job_id


async def job(client: httpx2.AsyncClient, job_id: int) -> dict[str, Any]:
    reply = await client.get(f"/ingestion/status/{job_id}", headers=ADMIN)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert found.keys() == JOB_KEYS
    return found


async def changes(client: httpx2.AsyncClient, **asked: str | list[str]) -> dict[str, Any]:
    reply = await client.get("/ingestion/changes", params=asked, headers=ADMIN)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert found.keys() == CHANGES_KEYS
    return found


@pytest.mark.spec("002 FR-022")
@pytest.mark.spec("002 FR-023")
async def test_a_triggered_job_can_be_followed_to_its_end(
    client: httpx2.AsyncClient, library: Library
) -> None:
    job_id = await order(client)
    queued = await job(client, job_id)
    await library.work_off()
    ended = await job(client, job_id)

    assert (queued["status"], queued["started_at"], queued["duration_seconds"]) == (
        "queued",
        None,
        None,
    )
    assert (ended["book_id"], ended["mode"], ended["trigger"]) == (BOOK, "incremental", "api")
    assert (ended["status"], ended["error_message"], ended["warnings"]) == ("completed", None, [])
    assert (ended["files_processed"], ended["files_skipped"], ended["files_found"]) == (5, 0, 5)
    assert (ended["chunks_created"], ended["chunks_embedded"], ended["files_left"]) == (8, 8, 0)
    assert (ended["attempts"], ended["eta_seconds"], ended["current_file"]) == (1, None, None)
    assert ended["duration_seconds"] == 0.0
    for moment in ("queued_at", "started_at", "completed_at"):
        assert ended[moment] == "1970-01-12T13:46:40Z"


@pytest.mark.spec("002 US2.1")
async def test_incremental_does_only_what_is_new(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.write(JOINTS, LESSONS[JOINTS] + section("More", "damping"))

    job_id = await order(client, mode="incremental")
    await indexed.work_off()

    ended = await job(client, job_id)
    assert (ended["files_processed"], ended["files_skipped"]) == (1, 4)
    assert ended["chunks_embedded"] < ended["chunks_created"]


@pytest.mark.spec("002 US2.2")
async def test_the_chunks_of_a_deleted_file_are_gone(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    del indexed.source.files[PUBLISHER]

    job_id = await order(client)
    await indexed.work_off()

    ended = await job(client, job_id)
    assert (ended["documents_deleted"], ended["chunks_deleted"]) == (1, 3)
    assert (await client.get(f"/lesson/{id_of(PUBLISHER)}")).status_code == 404
    found = (await client.post("/search", json={"query": "publisher", "limit": 20})).json()
    assert PUBLISHER not in {result["source_file"] for result in found["results"]}


@pytest.mark.spec("002 US2.3")
async def test_a_modified_file_has_its_new_chunks_only(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.write(PUBLISHER, section("Rewritten", "all of it is new"))

    await order(client)
    await indexed.work_off()

    found = (await client.post("/search", json={"query": "publisher", "limit": 20})).json()
    mine = [hit for hit in found["results"] if hit["source_file"] == PUBLISHER]
    assert [hit["section_title"] for hit in mine] == ["Rewritten"]


@pytest.mark.spec("002 FR-010")
@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
async def test_there_are_three_modes(
    client: httpx2.AsyncClient, indexed: Library, mode: str
) -> None:
    job_id = await order(client, mode=mode)
    await indexed.work_off()

    ended = await job(client, job_id)
    assert (ended["mode"], ended["status"]) == (mode, "completed")
    processed = 0 if mode == "incremental" else 5
    assert (ended["files_processed"], ended["files_skipped"]) == (processed, 5 - processed)
    info = (await client.get("/info")).json()
    assert (info["files_indexed"], info["total_chunks"]) == (5, 8)


@pytest.mark.spec("002 US5.2")
async def test_jobs_are_listed_newest_first(client: httpx2.AsyncClient, indexed: Library) -> None:
    second = await order(client, mode="full")
    await indexed.work_off()
    third = await order(client)

    listed = (await client.get("/ingestion/status", headers=ADMIN)).json()

    assert isinstance(listed, list)
    assert all(entry.keys() == JOB_KEYS for entry in listed)
    assert [entry["job_id"] for entry in listed][:2] == [third, second]
    assert [entry["status"] for entry in listed] == ["queued", "completed", "completed"]
    some = await client.get("/ingestion/status", params={"limit": 1}, headers=ADMIN)
    assert [entry["job_id"] for entry in some.json()] == [third]
    none = await client.get("/ingestion/status", params={"book_id": "another"}, headers=ADMIN)
    assert none.json() == []


async def test_a_second_trigger_joins_the_queued_job(
    client: httpx2.AsyncClient, library: Library
) -> None:
    first = await order(client)
    second = await order(client, mode="full", force=True)

    assert first == second
    assert (await job(client, first))["mode"] == "full"
    assert len(await library.work_off()) == 1


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b'{"unknown": 1}'])
async def test_a_trigger_needs_no_body(client: httpx2.AsyncClient, body: bytes) -> None:
    headers = {**ADMIN, "Content-Type": "application/json"}

    reply = await client.post("/ingestion/trigger", content=body, headers=headers)

    assert reply.status_code == 202
    assert (await job(client, reply.json()["job_id"]))["mode"] == "incremental"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"mode": "everything"}, "'mode' should be 'incremental', 'full' or 'recreate'"),
        ({"mode": None}, "'mode'"),
        ({"force": "yes"}, "'force' must be true or false"),
        ({"force": 1}, "'force' must be true or false"),
        ({"book_id": "another"}, "Book 'another' has no configured source"),
        ({"book_id": "../x", "docs_path": "."}, "book_id '../x' is not valid"),
        ({"book_id": ""}, "'book_id' must not be empty"),
        ({"docs_path": "../.."}, "is no folder or file below the configured ones"),
        ({"docs_path": "/nowhere"}, "is no folder or file on this machine"),
        ({"docs_path": "nowhere"}, "is no folder or file below the configured ones"),
        ({"docs_path": "a\x00b"}, "NUL"),
        ({"docs_path": 5}, "'docs_path' must be a string"),
        ({"patterns": []}, "'patterns' must have at least one element"),
        ({"patterns": "**/*.md"}, "'patterns'"),
        ({"patterns": ["**/*"]}, "'**/*' cannot be used: it must end as"),
        ({"patterns": ["auto", "*.md"]}, "'auto' stands alone"),
        ({"patterns": ["a\x00.md"]}, "NUL"),
        ({"exclude": ["/etc"]}, "'/etc' cannot be used: it must be relative"),
        ({"exclude": ["{lesson}"]}, "placeholders have no meaning"),
        ([], "The body must be an object"),
    ],
)
async def test_a_bad_order_is_422_and_queues_nothing(
    client: httpx2.AsyncClient, ledger: Ledger, body: object, says: str
) -> None:
    reply = await client.post("/ingestion/trigger", json=body, headers=ADMIN)

    assert reply.status_code == 422, reply.text
    assert list(reply.json()) == ["detail"]
    assert says in reply.json()["detail"]
    assert await ledger.jobs.recent(10) == []


async def test_two_folders_cannot_wait_as_one_job(
    client: httpx2.AsyncClient, config: BookConfig
) -> None:
    for name in ("one", "two"):
        (config.roots[0] / name).mkdir()
    await order(client, docs_path="one")

    reply = await client.post("/ingestion/trigger", json={"docs_path": "two"}, headers=ADMIN)

    assert reply.status_code == 409
    assert "waits already" in reply.json()["detail"]


@pytest.mark.parametrize("job_id", ["0", "-1", "999", str(2**63), str(2**70)])
async def test_an_unknown_job_is_404(client: httpx2.AsyncClient, job_id: str) -> None:
    for method, path in (("GET", "/ingestion/status/"), ("POST", "/ingestion/cancel/")):
        reply = await client.request(method, path + job_id, headers=ADMIN)
        assert reply.status_code == 404, reply.text
        assert reply.json() == {"detail": f"Job {job_id} not found"}


@pytest.mark.parametrize("job_id", ["x", "1.5", "true", "9" * 5_000])
async def test_what_is_no_job_number_is_422(client: httpx2.AsyncClient, job_id: str) -> None:
    reply = await client.get(f"/ingestion/status/{job_id}", headers=ADMIN)

    assert reply.status_code == 422
    assert list(reply.json()) == ["detail"]


async def test_a_queued_job_can_be_cancelled_once(
    client: httpx2.AsyncClient, library: Library
) -> None:
    job_id = await order(client)

    cancelled = await client.post(f"/ingestion/cancel/{job_id}", headers=ADMIN)
    again = await client.post(f"/ingestion/cancel/{job_id}", headers=ADMIN)

    assert cancelled.status_code == 200
    assert cancelled.json().keys() == JOB_KEYS
    assert cancelled.json()["status"] == "cancelled"
    assert (again.status_code, list(again.json())) == (409, ["detail"])
    assert await library.work_off() == []


async def test_a_running_job_is_asked_to_end(client: httpx2.AsyncClient, library: Library) -> None:
    job_id = await order(client)
    await library.ledger.jobs.claim(lease_s=30.0)

    reply = await client.post(f"/ingestion/cancel/{job_id}", headers=ADMIN)

    assert reply.status_code == 200
    assert (reply.json()["status"], reply.json()["cancel_requested"]) == ("running", True)


async def test_a_preview_shows_what_a_run_would_do_and_does_nothing(
    client: httpx2.AsyncClient, indexed: Library, ledger: Ledger
) -> None:
    indexed.source.write(JOINTS, LESSONS[JOINTS] + "more")
    indexed.source.write("module-1-ros2/chapter-9-new/01-new.md", "new")
    indexed.source.write("preface.md", "belongs to no module")
    indexed.source.unreadable.add(CHAPTER)
    del indexed.source.files[PUBLISHER]
    before = await ledger.collections.all(), await ledger.jobs.recent(10)

    found = await changes(client)

    assert found["new"] == ["module-1-ros2/chapter-9-new/01-new.md"]
    assert (found["modified"], found["deleted"]) == ([JOINTS], [PUBLISHER])
    assert (found["unchanged"], found["unreadable"]) == (2, [CHAPTER])
    assert (found["lost"], found["would_refuse"]) == (1, False)
    assert {warning["path"] for warning in found["warnings"]} == {"preface.md", CHAPTER}
    assert all(warning.keys() == {"path", "message"} for warning in found["warnings"])
    assert found["would_process"] == 2
    assert (await changes(client, mode="full"))["would_process"] == 4
    assert (await ledger.collections.all(), await ledger.jobs.recent(10)) == before


async def test_a_preview_warns_of_a_mass_deletion_and_the_run_refuses_it(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    for number in range(3):
        indexed.source.write(f"module-1-ros2/chapter-2-x/{number}-x.md", f"lesson {number}")
    await order(client)
    await indexed.work_off()
    indexed.source.files.clear()

    found = await changes(client)
    refused = await order(client)
    await indexed.work_off()

    assert (found["would_refuse"], found["lost"]) == (True, 8)
    ended = await job(client, refused)
    assert ended["status"] == "failed"
    assert "8 of 8 documents" in ended["error_message"]
    assert (await client.get("/info")).json()["files_indexed"] == 8


@pytest.mark.parametrize(
    "asked",
    [
        {"mode": "x"},
        {"book_id": "another"},
        {"docs_path": ".."},
        {"docs_path": "\x00"},
        {"patterns": "notes"},
        {"exclude": "\x00"},
    ],
)
async def test_a_bad_preview_is_422(client: httpx2.AsyncClient, asked: dict[str, str]) -> None:
    reply = await client.get("/ingestion/changes", params=asked, headers=ADMIN)

    assert reply.status_code == 422
    assert list(reply.json()) == ["detail"]


async def test_an_order_says_which_files_are_lessons(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.write("notes/today.md", "# Today")
    indexed.source.write("drafts/later.md", "# Later")
    indexed.source.other_files = {".pdf": 12}
    wanted = {"patterns": ["lessons", "notes/*.md"], "exclude": ["drafts"]}

    unasked = await changes(client)
    asked = await changes(client, **wanted)
    job_id = await order(client, **wanted)
    await indexed.work_off()
    again = await order(client)
    await indexed.work_off()

    assert (unasked["new"], unasked["files_unmatched"]) == ([], 2)
    assert (asked["new"], asked["files_unmatched"]) == (["notes/today.md"], 0)
    assert asked["other_files"] == {".pdf": 12}
    ended = await job(client, job_id)
    assert (ended["files_processed"], ended["files_unmatched"]) == (1, 0)
    assert (ended["other_files"], ended["warning_count"]) == ({".pdf": 12}, 0)
    # The choice is kept with the book, for whoever does not name one.
    kept = await job(client, again)
    assert (kept["status"], kept["files_found"], kept["documents_deleted"]) == ("completed", 6, 0)


@pytest.mark.parametrize("limit", ["0", "201", "x", "-1"])
async def test_the_list_is_limited(client: httpx2.AsyncClient, limit: str) -> None:
    reply = await client.get("/ingestion/status", params={"limit": limit}, headers=ADMIN)

    assert reply.status_code == 422


async def test_a_file_that_fails_is_named_in_the_job(
    client: httpx2.AsyncClient, library: Library
) -> None:
    library.source.files[JOINTS] = b"\xff\xfe"

    job_id = await order(client)
    await library.work_off()

    ended = await job(client, job_id)
    assert (ended["status"], ended["files_failed"]) == ("partial", 1)
    assert ended["files_processed"] + ended["files_skipped"] == ended["files_found"] == 5
    assert [warning["path"] for warning in ended["warnings"]] == [JOINTS]


async def test_without_a_configured_book_an_order_says_what_to_set(
    use_cases_without_a_book: UseCases,
) -> None:
    async with open_client(use_cases_without_a_book, admin=KEY.encode()) as client:
        reply = await client.post("/ingestion/trigger", headers=ADMIN)

    assert reply.status_code == 503
    assert "DOCS_PATH" in reply.json()["detail"]


RUNNING = IngestJob(
    id=1,
    request=JobRequest(BOOK),
    status="running",
    token=1,
    attempts=1,
    created_at_s=100.0,
    started_at_s=200.0,
    progress=Progress(files_found=40, files_processed=10, files_left=30),
)


@pytest.mark.parametrize(
    ("job", "eta_s"),
    [
        (RUNNING, 150.0),
        (replace(RUNNING, progress=Progress(files_left=40)), None),
        (replace(RUNNING, status="completed"), None),
        (replace(RUNNING, status="queued", started_at_s=None), None),
        (replace(RUNNING, started_at_s=300.0), 0.0),
        # As of its last heartbeat, at 240, it was 120; ten seconds have gone by since.
        (replace(RUNNING, lease_until_s=240.0 + LEASE_S), 110.0),
        (replace(RUNNING, lease_until_s=250.0), None),
        (replace(RUNNING, progress=Progress(files_processed=1, files_left=39)), None),
        (replace(RUNNING, progress=Progress(files_processed=2, files_left=38)), 950.0),
    ],
)
def test_the_time_that_is_left_follows_from_the_pace_so_far(
    job: IngestJob, eta_s: float | None
) -> None:
    assert job_out(job, now_s=250.0).eta_seconds == eta_s


def test_a_duration_is_that_of_the_work_not_of_the_waiting() -> None:
    ended = job_out(replace(RUNNING, status="completed", finished_at_s=212.5), now_s=900.0)

    assert ended.duration_seconds == 12.5


async def test_another_tier_for_unreadable_front_matter_is_taken_over(
    client: httpx2.AsyncClient,
    indexed: Library,
    config: BookConfig,
    store: MemoryStore,
    models: EmbeddingModels,
) -> None:
    indexed.source.write(JOINTS, "---\ntitle: a: b\nhardware_tier: high\n---\n# Joints\n")
    await client.post("/ingestion/trigger", headers=ADMIN)
    (job,) = (await indexed.work_off())[-1:]
    address = f"/lesson/{id_of(JOINTS)}?hardware_tier=1"
    assert (await client.get(address)).status_code == 200
    assert "used hardware_tier 1" in job.warnings[0].message

    stricter = replace(config, unreadable_tier=4)
    parts = assemble_book(indexed.ledger, store, models, stricter)
    await parts.book_jobs.submit(JobRequest(BOOK))
    await Library(indexed.source, parts, indexed.ledger).work_off()

    assert (await client.get(address)).status_code == 404
