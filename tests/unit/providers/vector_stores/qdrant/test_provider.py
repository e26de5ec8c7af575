"""How the Qdrant server is declared, and how a connection to it is tried out."""

import subprocess
import sys

import httpx2
import pytest
from pydantic import SecretStr, ValidationError

from sourcebook.providers.declaration import Probed, ProbeFailed
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.vector_stores.qdrant.provider import PROVIDER, probe
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from tests.qdrant_server import qdrant_server

SECRET = "the-key-of-the-server"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://a.cloud.qdrant.io", "https://a.cloud.qdrant.io:6333"),
        ("http://localhost:6333/", "http://localhost:6333"),
        ("https://example.com:443/qdrant/", "https://example.com:443/qdrant"),
        ("http://[::1]:7000", "http://[::1]:7000"),
    ],
)
def test_a_url_without_a_port_means_qdrants_own(given: str, meant: str) -> None:
    assert QdrantSettings(url=given).url == meant


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost:6333", "ftp://host", "https://", "http://host:port", ":memory:"),
        *(f"https://user:{SECRET}@host:6333", "https://host/?api_key=x", "https://host/#x"),
    ],
)
def test_what_is_no_plain_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        QdrantSettings(url=url)
    assert SECRET not in str(caught.value)


def test_a_misspelt_setting_is_refused() -> None:
    with pytest.raises(ValidationError):
        QdrantSettings.model_validate({"url": "http://host", "apikey": "x"})


async def test_a_probe_lists_the_collections() -> None:
    async with qdrant_server(key=SECRET) as server, open_client(timeout_s=5) as client:
        for name in ("b", "a"):
            await server.client.create_collection(name, vectors_config={})
        settings = QdrantSettings(url=server.url, api_key=SecretStr(SECRET))
        assert await probe(settings, client) == Probed({"collections": 2}, ("a", "b"))


async def test_a_probe_with_a_wrong_key_fails_with_the_status() -> None:
    async with qdrant_server(key=SECRET) as server, open_client(timeout_s=5) as client:
        with pytest.raises(httpx2.HTTPStatusError, match="401"):
            await probe(QdrantSettings(url=server.url), client)


@pytest.mark.parametrize("reply", [b"<html>", b"[]", b'{"result": {"collections": [{}]}}'])
async def test_a_probe_of_something_else_says_so(reply: bytes) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=reply))
    async with httpx2.AsyncClient(transport=transport) as client:
        with pytest.raises(ProbeFailed, match="not a Qdrant server"):
            await probe(QdrantSettings(url="http://host"), client)


def test_the_key_is_a_secret_in_the_schema() -> None:
    schema = PROVIDER.settings.model_json_schema()
    assert schema["properties"]["url"]["format"] == "uri"
    assert {"type": "string", "format": "password", "writeOnly": True} in schema["properties"][
        "api_key"
    ]["anyOf"]


@pytest.mark.parametrize(
    "module",
    [
        "sourcebook.providers.vector_stores.qdrant.provider",
        "sourcebook.providers.vector_stores.field_mapping",
        "sourcebook.service.wiring.adopted_collections",
    ],
)
def test_the_client_is_not_imported_before_it_is_needed(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert {"qdrant_client", "grpc", "numpy"}.isdisjoint(done.stdout.split())
