"""Books as things: listed, looked into and deleted by administrators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from sourcebook.core.book_source import FileProblem
from sourcebook.core.books import KeptLayout
from sourcebook.core.jobs import JobRequest, Outcome, Progress
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.surfaces.book.sample_book import ADMIN, ARM, BOOK, KEY, LESSONS, Library, id_of

ODD = "module-1-ros2/chapter-4-first-code/05-odd.md"
STRAY = "notes.md"


async def read(client: httpx2.AsyncClient, path: str, **params: str | int) -> dict[str, Any]:
    reply = await client.get(path, params=params, headers=ADMIN)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def with_problems(library: Library) -> None:
    """Index the book with one file that has a bad tier, and one that fits no lesson."""
    library.source.write(ODD, "---\nhardware_tier: high\n---\n\nOdd words are here.\n")
    library.source.write(STRAY, "Stray words.\n")
    await library.parts.book_jobs.submit(JobRequest(BOOK))
    await library.work_off()


async def test_without_a_book_the_list_is_empty(client: httpx2.AsyncClient) -> None:
    assert await read(client, "/books") == {"books": []}


async def test_a_book_is_listed_with_what_is_indexed_of_it(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    (book,) = (await read(client, "/books"))["books"]
    info = await read(client, "/info")

    assert (book["book_id"], book["files"]) == (BOOK, len(LESSONS))
    assert book["chunks"] == info["total_chunks"] > len(LESSONS)
    assert book["size_bytes"] == sum(len(text.encode()) for text in LESSONS.values())
    assert book["problems"] == 0
    assert book["latest_job"]["status"] == "completed"
    assert book["latest_job"]["completed_at"] is not None


async def test_a_book_that_is_still_waiting_is_listed(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await library.parts.book_jobs.submit(JobRequest(BOOK))

    (book,) = (await read(client, "/books"))["books"]

    assert (book["files"], book["chunks"], book["updated_at"]) == (0, 0, None)
    assert book["latest_job"]["status"] == "queued"
    assert (await read(client, f"/books/{BOOK}/files"))["files"] == []


async def test_a_book_names_the_problems_of_its_last_run_also_while_the_next_one_waits(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await with_problems(library)
    await library.parts.book_jobs.submit(JobRequest(BOOK))

    book = await read(client, f"/books/{BOOK}")

    assert book["latest_job"]["status"] == "queued"
    assert book["problems"] == len(book["warnings"]) == 2
    assert {warning["path"] for warning in book["warnings"]} == {ODD, STRAY}


async def test_files_are_listed_by_path_and_those_that_are_not_indexed_first(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await with_problems(library)

    found = await read(client, f"/books/{BOOK}/files")

    assert [file["path"] for file in found["files"]] == [STRAY, *sorted([*LESSONS, ODD])]
    assert (found["count"], found["total"]) == (len(LESSONS) + 2, len(LESSONS) + 2)
    by_path = {file["path"]: file for file in found["files"]}
    stray, odd, arm = by_path[STRAY], by_path[ODD], by_path[ARM]
    assert (stray["state"], stray["chunks"], stray["parent_doc_id"]) == ("not_indexed", 0, None)
    assert stray["problems"]
    assert (odd["state"], odd["hardware_tier"]) == ("indexed", 1)
    assert "hardware_tier" in odd["problems"][0]
    assert (arm["title"], arm["hardware_tier"], arm["problems"]) == ("A Real Arm", 4, [])
    assert (arm["parent_doc_id"], arm["state"]) == (id_of(ARM), "indexed")
    assert arm["chunks"] >= 1


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_pages_of_files_make_up_the_whole(
    client: httpx2.AsyncClient, library: Library, limit: int
) -> None:
    await with_problems(library)
    every = (await read(client, f"/books/{BOOK}/files"))["files"]

    paged: list[Any] = []
    while page := (await read(client, f"/books/{BOOK}/files", limit=limit, offset=len(paged)))[
        "files"
    ]:
        assert len(page) <= limit
        paged += page

    assert paged == every


async def test_only_files_with_problems_can_be_asked_for(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await with_problems(library)

    found = await read(client, f"/books/{BOOK}/files", problems="true")
    second = await read(client, f"/books/{BOOK}/files", problems="true", limit=1, offset=1)

    assert [file["path"] for file in found["files"]] == sorted([ODD, STRAY])
    assert (found["total"], second["total"]) == (2, 2)
    assert second["files"] == found["files"][1:]


async def test_warnings_that_are_only_counted_are_no_file(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await library.parts.book_jobs.submit(JobRequest(BOOK))
    job = await library.ledger.jobs.claim(lease_s=30.0)
    assert job is not None
    many = [FileProblem(f"{n:03}.md", "It is odd") for n in range(300)]
    report = Progress(warning_count=300, files_unmatched=7, other_files={".pdf": 2})
    await library.ledger.jobs.finish(job.fence, Outcome("failed"), report, many)
    await library.parts.book_jobs.submit(JobRequest(BOOK))

    found = await read(client, f"/books/{BOOK}/files", problems="true", limit=1000)

    book = await read(client, f"/books/{BOOK}")

    assert (book["problems"], book["files_unmatched"], book["other_files"]) == (300, 7, {".pdf": 2})
    paths = [file["path"] for file in found["files"]]
    assert paths == [problem.path for problem in many[: len(paths)]]
    assert 100 < found["total"] == len(paths) < 300


async def test_a_deleted_book_is_gone_and_its_history_stays(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    before = await read(client, f"/books/{BOOK}")

    reply = await client.delete(f"/books/{BOOK}", headers=ADMIN)

    assert reply.status_code == 200
    assert reply.json() == {
        "status": "deleted",
        "book_id": BOOK,
        "files_deleted": before["files"],
        "chunks_deleted": before["chunks"],
    }
    assert await read(client, "/books") == {"books": []}
    assert (await client.get(f"/books/{BOOK}", headers=ADMIN)).status_code == 404
    assert (await client.get(f"/lesson/{id_of(ARM)}")).status_code == 404
    found = await client.post("/search", json={"query": "a ros2 publisher"})
    assert found.json()["results"] == []
    (job,) = (await client.get("/ingestion/status", headers=ADMIN)).json()
    assert (job["book_id"], job["status"]) == (BOOK, "completed")


async def test_a_deleted_book_can_be_indexed_again(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    before = await read(client, f"/books/{BOOK}")
    await client.delete(f"/books/{BOOK}", headers=ADMIN)

    await indexed.parts.book_jobs.submit(JobRequest(BOOK))
    (job,) = await indexed.work_off()
    after = await read(client, f"/books/{BOOK}")

    assert (job.status, job.progress.chunks_embedded) == ("completed", 0)
    assert (after["files"], after["chunks"]) == (before["files"], before["chunks"])


async def test_the_layout_of_a_book_is_shown_and_goes_with_it(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    kept = KeptLayout("book", BOOK, ("**/*.md",), ("drafts/**",), False, "../docs", 1_000.0)
    await indexed.ledger.books.put(kept)

    book = await read(client, f"/books/{BOOK}")
    await client.delete(f"/books/{BOOK}", headers=ADMIN)

    assert book["source"] == "../docs"
    assert book["layout"] == {
        "patterns": ["**/*.md"],
        "exclude": ["drafts/**"],
        "automatic": False,
        "chosen_at": "1970-01-01T00:16:40Z",
    }
    assert await indexed.ledger.books.get("book", BOOK) is None


async def test_a_book_whose_deletion_stopped_before_its_end_can_be_deleted_again(
    client: httpx2.AsyncClient, library: Library
) -> None:
    kept = KeptLayout("book", BOOK, ("**/*.md",), (), True, "../docs", 1_000.0)
    await library.ledger.books.put(kept)

    (book,) = (await read(client, "/books"))["books"]
    reply = await client.delete(f"/books/{BOOK}", headers=ADMIN)

    assert (book["book_id"], book["files"]) == (BOOK, 0)
    assert (reply.status_code, reply.json()["files_deleted"]) == (200, 0)
    assert await read(client, "/books") == {"books": []}


@pytest.mark.parametrize("begun", [False, True])
async def test_a_book_is_not_deleted_while_a_job_works_on_it(
    client: httpx2.AsyncClient, indexed: Library, begun: bool
) -> None:
    job = await indexed.parts.book_jobs.submit(JobRequest(BOOK))
    if begun:
        await indexed.ledger.jobs.claim(lease_s=30.0)

    reply = await client.delete(f"/books/{BOOK}", headers=ADMIN)

    assert reply.status_code == 409
    state = "running" if begun else "queued"
    assert f"Job {job.id} of book '{BOOK}' is {state}" in reply.json()["detail"]
    assert (await read(client, f"/books/{BOOK}"))["files"] == len(LESSONS)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/files"), ("DELETE", "")])
async def test_an_unknown_book_is_answered_with_the_known_ones(
    client: httpx2.AsyncClient, indexed: Library, method: str, path: str
) -> None:
    reply = await client.request(method, f"/books/nothing{path}", headers=ADMIN)

    assert reply.status_code == 404
    assert reply.json() == {"detail": f"Book 'nothing' not found. Indexed: ['{BOOK}']"}


ROUTES: Sequence[tuple[str, str]] = (
    ("GET", "/books"),
    ("GET", f"/books/{BOOK}"),
    ("GET", f"/books/{BOOK}/files"),
    ("DELETE", f"/books/{BOOK}"),
)


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_books_are_for_administrators(
    client: httpx2.AsyncClient, indexed: Library, method: str, path: str
) -> None:
    assert (await client.request(method, path)).status_code == 401

    assert (await read(client, f"/books/{BOOK}"))["files"] == len(LESSONS)


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": 1001}, {"offset": -1}, {"limit": "x"}, {"problems": "?"}]
)
async def test_a_page_that_cannot_be_is_refused(
    client: httpx2.AsyncClient, params: dict[str, str]
) -> None:
    reply = await client.get(f"/books/{BOOK}/files", params=params, headers=ADMIN)

    assert reply.status_code == 422
    assert list(reply.json()) == ["detail"]


async def test_a_book_says_whether_the_service_indexes_it_by_itself(
    client: httpx2.AsyncClient, indexed: Library, use_cases: UseCases
) -> None:
    rules = replace(use_cases.book_rules, has_source=True)
    async with open_client(replace(use_cases, book_rules=rules), admin=KEY.encode()) as keeping:
        assert (await read(keeping, f"/books/{BOOK}"))["configured"] is True
    assert (await read(client, f"/books/{BOOK}"))["configured"] is False
