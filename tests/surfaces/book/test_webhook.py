"""Pushes: what is not signed changes nothing, and what is signed queues one job."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import urlencode

import httpx2
import pytest

from sourcebook.core.errors import AlreadyExists
from sourcebook.core.jobs import IngestJob, JobRequest
from sourcebook.core.ports import Ledger
from sourcebook.surfaces.use_cases import UseCases, WebhookRules
from tests.conftest import open_client
from tests.surfaces.book.sample_book import ADMIN, BOOK, JOINTS, SECRET, Library

PATH = "/ingestion/webhook/github"
FORM = "application/x-www-form-urlencoded"
PUSH = {"ref": "refs/heads/main", "repository": {"default_branch": "main"}, "deleted": False}


def signed(body: bytes, secret: bytes = SECRET) -> str:
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def headers_for(body: bytes, **changed: str) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": "d-1",
        "X-Hub-Signature-256": signed(body),
    }
    return headers | {name.replace("_", "-"): value for name, value in changed.items()}


async def deliver(
    client: httpx2.AsyncClient, payload: object = PUSH, **changed: str
) -> httpx2.Response:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return await client.post(PATH, content=body, headers=headers_for(body, **changed))


@pytest.mark.spec("002 US4.1")
@pytest.mark.spec("002 FR-024")
async def test_a_signed_push_queues_an_incremental_job(
    client: httpx2.AsyncClient, library: Library
) -> None:
    reply = await deliver(client)

    assert reply.status_code == 202
    assert reply.json() == {"job_id": reply.json()["job_id"], "status": "queued"}
    job = await library.ledger.jobs.get(reply.json()["job_id"])
    assert job.request == JobRequest(BOOK, "incremental", trigger="webhook")
    assert [ended.status for ended in await library.work_off()] == ["completed"]


@pytest.mark.spec("002 Eval-004")
async def test_a_push_makes_the_new_text_findable(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    indexed.source.write(JOINTS, "## Springs\n\nspring stiffness damper coil")

    await deliver(client)
    await indexed.work_off()

    body = {"query": "spring stiffness damper coil", "limit": 1}
    (result,) = (await client.post("/search", json=body)).json()["results"]
    assert (result["source_file"], result["section_title"]) == (JOINTS, "Springs")


BODY = json.dumps(PUSH).encode()
SHA1 = "sha1=" + hmac.new(SECRET, BODY, hashlib.sha1).hexdigest()
FORGED: dict[str, list[tuple[bytes, bytes]]] = {
    "missing": [],
    "empty": [(b"x-hub-signature-256", b"")],
    "only the algorithm": [(b"x-hub-signature-256", b"sha256=")],
    "without the algorithm": [(b"x-hub-signature-256", signed(BODY)[7:].encode())],
    "another algorithm": [(b"x-hub-signature-256", SHA1.encode())],
    "only the old header": [(b"x-hub-signature", SHA1.encode())],
    "another secret": [(b"x-hub-signature-256", signed(BODY, b"guessed").encode())],
    "no secret": [(b"x-hub-signature-256", signed(BODY, b"").encode())],
    "of another body": [(b"x-hub-signature-256", signed(BODY + b" ").encode())],
    "truncated": [(b"x-hub-signature-256", signed(BODY)[:-1].encode())],
    "longer": [(b"x-hub-signature-256", signed(BODY).encode() + b"0")],
    "with spaces": [(b"x-hub-signature-256", b"sha256= " + signed(BODY)[7:].encode())],
    "not ASCII": [(b"x-hub-signature-256", b"sha256=" + "é".encode() * 32)],
    "other digits": [(b"x-hub-signature-256", b"sha256=" + "１".encode() * 21 + b"0")],
    "twice": [(b"x-hub-signature-256", signed(BODY).encode())] * 2,
    "right and wrong": [
        (b"x-hub-signature-256", signed(BODY).encode()),
        (b"x-hub-signature-256", signed(b"").encode()),
    ],
    "the admin key": [(b"x-admin-api-key", ADMIN["X-Admin-API-Key"].encode())],
}


@pytest.mark.spec("002 US4.2")
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED.keys())
async def test_what_is_not_signed_is_401_and_queues_nothing(
    client: httpx2.AsyncClient, ledger: Ledger, forged: list[tuple[bytes, bytes]]
) -> None:
    headers = [(b"content-type", b"application/json"), (b"x-github-event", b"push"), *forged]

    reply = await client.post(PATH, content=BODY, headers=headers)

    assert reply.status_code == 401
    assert list(reply.json()) == ["detail"]
    assert await ledger.jobs.recent(10) == []


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("missing", "is not signed"),
        ("empty", "is not signed"),
        ("truncated", "is malformed"),
        ("another algorithm", "is malformed"),
        ("twice", "has 2 X-Hub-Signature-256 headers"),
        ("another secret", "does not fit the body"),
    ],
)
async def test_a_refused_signature_says_what_is_wrong_with_it(
    client: httpx2.AsyncClient, case: str, said: str
) -> None:
    headers = [(b"content-type", b"application/json"), *FORGED[case]]

    reply = await client.post(PATH, content=BODY, headers=headers)

    assert said in reply.json()["detail"]


async def test_a_body_that_was_written_anew_is_no_longer_signed(
    client: httpx2.AsyncClient, ledger: Ledger
) -> None:
    signature = signed(BODY)
    same = json.dumps(PUSH, indent=1).encode()

    reply = await client.post(
        PATH, content=same, headers=headers_for(same) | {"X-Hub-Signature-256": signature}
    )

    assert reply.status_code == 401
    assert await ledger.jobs.recent(10) == []


@pytest.mark.parametrize("body", [b"{", b"", b"\xff" * 100, b"[" * 100_000])
async def test_the_signature_is_checked_before_anything_is_parsed(
    client: httpx2.AsyncClient, body: bytes
) -> None:
    headers = headers_for(body) | {"X-Hub-Signature-256": signed(body, b"guessed")}

    assert (await client.post(PATH, content=body, headers=headers)).status_code == 401


class Stream:
    """A body without an end, which knows how much of it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(30 * 16):
            self.taken += 64 * 1024
            yield b" " * 64 * 1024


async def test_nothing_is_read_of_a_delivery_without_a_signature(
    client: httpx2.AsyncClient,
) -> None:
    stream = Stream()

    reply = await client.post(PATH, content=stream, headers={"X-GitHub-Event": "push"})

    assert reply.status_code == 401
    assert stream.taken == 0


async def test_thirty_megabytes_are_413(client: httpx2.AsyncClient, ledger: Ledger) -> None:
    reply = await client.post(PATH, content=Stream(), headers=headers_for(b""))

    assert reply.status_code == 413
    assert reply.json() == {"detail": "The body is larger than 5 MiB; send less at once"}
    assert await ledger.jobs.recent(10) == []


async def test_four_megabytes_are_taken(client: httpx2.AsyncClient) -> None:
    body = json.dumps({**PUSH, "commits": [{"message": "x" * 1_000}] * 4_000}).encode()

    reply = await client.post(PATH, content=body, headers=headers_for(body))

    assert reply.status_code == 202


async def test_without_a_secret_the_webhook_is_disabled(
    deaf: httpx2.AsyncClient, ledger: Ledger
) -> None:
    reply = await deliver(deaf)

    assert reply.status_code == 503
    assert "GITHUB_WEBHOOK_SECRET" in reply.json()["detail"]
    assert await ledger.jobs.recent(10) == []


async def test_an_empty_secret_is_none(use_cases: UseCases, ledger: Ledger) -> None:
    rules = replace(use_cases.book_rules, webhook=WebhookRules(b""))
    async with open_client(replace(use_cases, book_rules=rules)) as client:
        body = json.dumps(PUSH).encode()
        headers = headers_for(body) | {"X-Hub-Signature-256": signed(body, b"")}
        reply = await client.post(PATH, content=body, headers=headers)

    assert reply.status_code == 503
    assert await ledger.jobs.recent(10) == []


async def test_a_ping_is_answered_without_a_job(client: httpx2.AsyncClient, ledger: Ledger) -> None:
    reply = await deliver(client, {"zen": "Keep it logically awesome."}, X_GitHub_Event="ping")

    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})
    assert await ledger.jobs.recent(10) == []


@pytest.mark.parametrize("event", ["pull_request", "PUSH", "", "release"])
async def test_other_events_are_ignored(
    client: httpx2.AsyncClient, ledger: Ledger, event: str
) -> None:
    reply = await deliver(client, X_GitHub_Event=event)

    assert reply.status_code == 200
    assert reply.json() == {"status": "ignored", "reason": "Only pushes are acted on"}
    assert await ledger.jobs.recent(10) == []


@pytest.mark.parametrize(
    ("payload", "configured", "acts"),
    [
        ({"ref": "refs/heads/main"}, None, True),
        ({"ref": "refs/heads/master"}, None, True),
        ({"ref": "refs/heads/draft"}, None, False),
        ({"ref": "refs/heads/trunk", "repository": {"default_branch": "trunk"}}, None, True),
        ({"ref": "refs/heads/main", "repository": {"default_branch": "trunk"}}, None, False),
        ({"ref": "refs/heads/main", "repository": {"default_branch": 5}}, None, True),
        ({"ref": "refs/heads/main", "repository": []}, None, True),
        ({"ref": "refs/heads/docs/v2"}, "docs/v2", True),
        ({"ref": "refs/heads/main", "repository": {"default_branch": "main"}}, "docs/v2", False),
        ({"ref": "refs/heads/main/x"}, None, False),
        ({"ref": "refs/tags/main"}, None, False),
        ({"ref": "main"}, None, False),
        ({"ref": ""}, None, False),
        ({"ref": "refs/heads/main", "deleted": True}, None, False),
        ({"ref": "refs/heads/main", "deleted": False}, None, True),
    ],
)
async def test_only_the_books_branch_counts(
    use_cases: UseCases,
    ledger: Ledger,
    payload: dict[str, object],
    configured: str | None,
    acts: bool,
) -> None:
    rules = replace(use_cases.book_rules, webhook=WebhookRules(SECRET, configured))
    async with open_client(replace(use_cases, book_rules=rules)) as client:
        reply = await deliver(client, payload)

    assert reply.status_code == (202 if acts else 200), reply.text
    assert len(await ledger.jobs.recent(10)) == acts
    if not acts:
        assert reply.json().keys() == {"status", "reason"}
        assert reply.json()["status"] == "ignored"


async def test_a_form_is_read_as_github_sends_it(
    client: httpx2.AsyncClient, ledger: Ledger
) -> None:
    body = urlencode({"payload": json.dumps({**PUSH, "pusher": "Zoë & co"})}).encode()

    reply = await deliver(client, body, Content_Type=FORM)

    assert reply.status_code == 202
    assert len(await ledger.jobs.recent(10)) == 1


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"{", "application/json", 422),
        (b"", "application/json", 422),
        (b"[]", "application/json", 422),
        (b"null", "application/json", 422),
        (b"{}", "application/json", 422),
        (b'{"ref": 5}', "application/json", 422),
        (b'{"ref": NaN}', "application/json", 422),
        (b"[" * 5_000, "application/json", 422),
        (b'{"ref": "refs/heads/main\\ud800"}', "application/json", 422),
        (BODY, "text/plain", 415),
        (BODY, "", 415),
        (BODY, FORM, 422),
        (b"payload=", FORM, 422),
        (b"payload={", FORM, 422),
        (b"payload=\xff", FORM, 422),
        (b"payload={}&payload={}", FORM, 422),
        (b"a=1&" * 100 + b"payload={}", FORM, 422),
    ],
)
async def test_a_signed_body_that_is_no_push_is_refused(
    client: httpx2.AsyncClient, ledger: Ledger, body: bytes, content_type: str, status: int
) -> None:
    reply = await deliver(client, body, Content_Type=content_type)

    assert reply.status_code == status
    assert list(reply.json()) == ["detail"]
    assert await ledger.jobs.recent(10) == []


async def test_a_delivery_that_comes_again_does_nothing(
    client: httpx2.AsyncClient, library: Library
) -> None:
    first = await deliver(client)
    while_queued = await deliver(client)
    await library.work_off()
    after_the_job = await deliver(client)

    job_id = first.json()["job_id"]
    assert first.status_code == 202
    assert (while_queued.status_code, while_queued.json()) == (
        200,
        {"status": "queued", "job_id": job_id},
    )
    assert (after_the_job.status_code, after_the_job.json()) == (
        200,
        {"status": "completed", "job_id": job_id},
    )
    assert [job.id for job in await library.ledger.jobs.recent(10)] == [job_id]


async def test_a_burst_of_pushes_is_one_job(client: httpx2.AsyncClient, library: Library) -> None:
    pushes = [{**PUSH, "after": f"{number:040}"} for number in range(20)] * 5

    replies = await asyncio.gather(*(deliver(client, push) for push in pushes))

    assert {reply.status_code for reply in replies} <= {200, 202}
    assert len({reply.json()["job_id"] for reply in replies}) == 1
    assert len(await library.work_off()) == 1


async def test_a_push_during_a_run_is_another_job(
    client: httpx2.AsyncClient, library: Library
) -> None:
    first = await deliver(client)
    await library.ledger.jobs.claim(lease_s=30.0)

    second = await deliver(client, {**PUSH, "after": "2" * 40}, X_GitHub_Delivery="d-2")
    replayed = await deliver(client)

    assert (first.status_code, second.status_code, replayed.status_code) == (202, 202, 200)
    assert first.json()["job_id"] != second.json()["job_id"]


async def test_a_delivery_is_known_by_its_body_whatever_id_it_comes_with(
    client: httpx2.AsyncClient, library: Library
) -> None:
    body = json.dumps(PUSH).encode()

    statuses = []
    for given in ("d-1", "d-2", "", " ", "é", "x" * 10_000):
        changed = headers_for(body) | {"X-GitHub-Delivery": given}
        headers = {name.encode(): value.encode() for name, value in changed.items()}
        statuses.append((await client.post(PATH, content=body, headers=headers)).status_code)
        await library.work_off()

    assert statuses == [202, 200, 200, 200, 200, 200]
    assert len(await library.ledger.jobs.recent(10)) == 1


@pytest.mark.parametrize(
    ("repository", "acts"),
    [
        ({"full_name": "acme/book"}, True),
        ({"full_name": "Acme/Book"}, True),
        ({"full_name": "acme/website"}, False),
        ({"full_name": "evil/book"}, False),
        ({"full_name": 5}, False),
        ({}, False),
        ([], False),
    ],
)
async def test_only_the_books_repository_counts(
    use_cases: UseCases, ledger: Ledger, repository: object, acts: bool
) -> None:
    webhook = WebhookRules(SECRET, repository="acme/book")
    rules = replace(use_cases.book_rules, webhook=webhook)
    async with open_client(replace(use_cases, book_rules=rules)) as client:
        reply = await deliver(client, {"ref": "refs/heads/main", "repository": repository})

    assert reply.status_code == (202 if acts else 200), reply.text
    assert len(await ledger.jobs.recent(10)) == acts
    if not acts:
        assert "GITHUB_WEBHOOK_REPOSITORY" in reply.json()["reason"]


class _ForgetfulJobs:
    async def recent(self, limit: int, book_id: str | None = None) -> list[IngestJob]:
        return []

    async def submit(self, request: JobRequest, delivery_id: str | None = None) -> IngestJob:
        raise AlreadyExists(f"Delivery {delivery_id} was taken already")


async def test_a_known_delivery_whose_job_is_forgotten_is_ignored(use_cases: UseCases) -> None:
    async with open_client(replace(use_cases, book_jobs=_ForgetfulJobs())) as client:  # type: ignore[arg-type]
        reply = await deliver(client)

    assert reply.status_code == 200
    assert reply.json() == {"status": "ignored", "reason": "This delivery was taken already"}
