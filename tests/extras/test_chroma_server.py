"""What the Chroma server store promises beyond the contract: probes, outages, secrets."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
from pydantic import ValidationError

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.declaration import Opening, ProbeFailed
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.destinations import STRANGER, DestinationRefused
from sourcebook.providers.vector_stores.chroma.provider import SERVER, probe_server
from sourcebook.testing.points import INDEX, SPEC, filled, names, point, query
from tests.extras.chroma_process import free_port, running_chroma
from tests.extras.chroma_stores import server_settings, server_store

WAIT_TIMEOUT_S = 30


async def test_a_probe_lists_the_collections_of_the_server(chroma_url: str) -> None:
    namespace = f"test-{uuid4().hex}"
    async with server_store(chroma_url, namespace) as store:
        await filled(store, point("a"))
    async with open_client(timeout_s=5) as client:
        probed = await probe_server(server_settings(chroma_url), client)
    assert probed.collections is not None
    assert f"{namespace}-{INDEX}" in probed.collections
    assert probed.details == {"collections": len(probed.collections)}


async def test_a_probe_goes_only_where_its_client_may(chroma_url: str) -> None:
    async with open_client(timeout_s=5, policy=STRANGER) as client:
        with pytest.raises(DestinationRefused):
            await probe_server(server_settings(chroma_url), client)


async def test_a_probe_of_a_database_that_does_not_exist_fails(chroma_url: str) -> None:
    settings = server_settings(chroma_url, database="no_such_database")
    async with open_client(timeout_s=5) as client:
        with pytest.raises(httpx2.HTTPStatusError):
            await probe_server(settings, client)


async def test_the_provider_opens_a_store_of_its_namespace(chroma_url: str, tmp_path: Path) -> None:
    opening = Opening("store", tmp_path, tmp_path, namespace=f"test-{uuid4().hex}")
    async with SERVER.open(server_settings(f"{chroma_url}/"), opening) as store:
        assert await store.indexes() == set()
        await filled(store, point("a"))
        assert names(await store.search(INDEX, query())) == ["a"]
        assert (await store.check()).status == "up"


async def test_points_survive_a_restart_and_an_outage_is_told(tmp_path: Path) -> None:
    port = free_port()
    async with server_store(f"http://127.0.0.1:{port}", "here") as store:
        with pytest.raises(RetrievalUnavailable, match="cannot be reached"):
            await store.indexes()
        assert (await store.check()).status == "down"
        with running_chroma(tmp_path, port):
            await filled(store, point("a", metadata={"tier": 1}))
        with pytest.raises(RetrievalUnavailable, match=INDEX):
            await store.search(INDEX, query())
        with running_chroma(tmp_path, port):
            assert names(await store.search(INDEX, query())) == ["a"]
            assert (await store.check()).status == "up"


@contextmanager
def answering(reply: bytes, requests: list[bytes]) -> Iterator[str]:
    """A server that gives everybody the same reply; an empty one never comes."""
    over = threading.Event()

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            requests.append(b"".join(iter(self.rfile.readline, b"\r\n")))
            if not reply:
                over.wait(WAIT_TIMEOUT_S)
            self.wfile.write(reply)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            over.set()
            server.shutdown()
            serving.join()


def patience(reply: bytes) -> float:
    """Only for what never comes: a busy machine may need longer for an answer."""
    return float(WAIT_TIMEOUT_S) if reply else 0.3


def response(status: str, body: bytes = b"{}") -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (response("401 No", b'{"error":"s3cret"}'), "refused the token"),
        (response("403 No"), "does not allow"),
        (response("429 No"), "takes no more requests"),
        (response("500 No", b'{"message":"s3cret"}'), "status 500"),
        (response("200 OK", b"<html>s3cret</html>"), "not Chroma's"),
        (response("200 OK", b'{"s3cret": 1}'), "not Chroma's"),
        (b"", "took (longer|too long)"),
    ],
    ids=["401", "403", "429", "500", "html", "other json", "silence"],
)
async def test_failures_are_told_in_our_words(reply: bytes, told: str) -> None:
    with answering(reply, []) as url:
        async with server_store(url, "here", timeout_s=patience(reply), token="s3cret") as store:
            with pytest.raises(RetrievalUnavailable, match=told) as caught:
                await store.indexes()
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "told"),
    [(response("401 No"), "refused the token"), (b"", "took (longer|too long)")],
    ids=["401", "silence"],
)
async def test_an_index_that_cannot_be_dropped_is_told(reply: bytes, told: str) -> None:
    with answering(reply, []) as url:
        async with server_store(url, "here", timeout_s=patience(reply)) as store:
            with pytest.raises(RetrievalUnavailable, match=f"{told}.*some-index"):
                await store.drop("some-index")


async def test_a_database_that_does_not_exist_is_told(chroma_url: str) -> None:
    async with server_store(chroma_url, "here", database="no_such_database") as store:
        with pytest.raises(RetrievalUnavailable, match="no such tenant or database"):
            await store.create(SPEC)
        health = await store.check()
    assert health.status == "down"
    assert "no such tenant or database" in str(health.message)


@pytest.mark.parametrize("body", [b"{}", b"[]", b"7", b"<html></html>"])
async def test_what_is_no_chroma_is_never_called_up(body: bytes) -> None:
    with answering(response("200 OK", body), []) as url:
        async with server_store(url, "test-nobody") as store:
            health = await store.check()
    assert (health.status, "check its address" in (health.message or "")) == ("down", True)


async def test_what_is_no_chroma_fails_a_probe() -> None:
    other = response("200 OK", b'{"hello": 1}')
    with answering(other, []) as url:
        async with open_client(timeout_s=5) as client:
            with pytest.raises(ProbeFailed, match="not a Chroma server"):
                await probe_server(server_settings(url), client)


@pytest.mark.parametrize(
    ("more", "header"),
    [
        ({"token": "s3cret"}, b"x-chroma-token: s3cret\r\n"),
        ({"token": "s3cret", "token_header": "authorization"}, b"authorization: Bearer s3cret\r\n"),
    ],
)
async def test_the_token_goes_into_its_header(more: dict[str, object], header: bytes) -> None:
    requests: list[bytes] = []
    with answering(response("200 OK", b"[]"), requests) as url:
        async with server_store(url, "here", **more) as store:
            assert await store.indexes() == set()
        async with open_client(timeout_s=5) as client:
            await probe_server(server_settings(url, **more), client)
    listing, beat, _, probed = requests
    assert header in listing.lower().replace(b"bearer", b"Bearer")
    assert b"s3cret" not in beat
    assert header in probed.lower().replace(b"bearer", b"Bearer")


def test_settings_show_no_token() -> None:
    settings = server_settings("http://localhost:8000", token="s3cret")
    assert "s3cret" not in repr(settings) + settings.model_dump_json()


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://host", "http://", "http://me:s3cret@host", "http://host?x=1"]
)
def test_a_url_that_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        server_settings(url)
    assert "s3cret" not in str(caught.value)
