"""Adopted collections as the service opens them."""

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from qdrant_client import models

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.ports import AdoptedCollection
from sourcebook.service.config.adopted_file import read_adopted_file
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.adopted_collections import adoptions, open_adopted
from tests.qdrant_server import QdrantServer, qdrant_server

NAMESPACE = "sourcebook-1a2b3c4d"
SECRET = "the-key-of-the-server"
EAST = [1.0, 0.0, 0.0]


@pytest.fixture
async def server() -> AsyncIterator[QdrantServer]:
    async with qdrant_server(key=SECRET) as server:
        yield server


def settings(config: Path | None = None, url: str | None = None) -> Settings:
    return load_settings(qdrant_url=url, qdrant_api_key=SecretStr(SECRET), adopted_config=config)


def refusing() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


def written(folder: Path, text: str) -> Path:
    config = folder / "adopted.yml"
    config.write_text(text)
    return config


async def fill(server: QdrantServer, name: str, distance: models.Distance | None = None) -> None:
    vectors = models.VectorParams(size=3, distance=distance or models.Distance.COSINE)
    await server.client.create_collection(name, vectors_config=vectors)
    payload = {"chunk_text": "Text", "source_url": "u"}
    await server.client.upsert(name, [models.PointStruct(id=1, vector=EAST, payload=payload)])


async def until_read(adopted: dict[str, AdoptedCollection], name: str) -> AdoptedCollection:
    async with asyncio.timeout(10):
        while True:
            if (await adopted[name].check()).status == "up":
                return adopted[name]
            await asyncio.sleep(0.01)


async def test_the_collection_of_spec_004_is_adopted_where_our_own_live(
    server: QdrantServer,
) -> None:
    await fill(server, "rag_embedding")
    async with open_adopted(settings(url=server.url), NAMESPACE, {}) as adopted:
        assert list(adopted) == ["rag_embedding"]
        [hit] = await adopted["rag_embedding"].nearest(EAST, 3, EVERYTHING)
        assert hit.chunk.text == "Text"


async def test_without_that_collection_nothing_is_adopted(server: QdrantServer) -> None:
    async with open_adopted(settings(url=server.url), NAMESPACE, {}) as adopted:
        assert adopted == {}


async def test_without_a_qdrant_nothing_is_adopted() -> None:
    async with open_adopted(settings(), NAMESPACE, {}) as adopted:
        assert adopted == {}


async def test_that_collection_never_keeps_the_service_from_starting(
    server: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(server, "rag_embedding", models.Distance.MANHATTAN)
    async with open_adopted(settings(url=server.url), NAMESPACE, {}) as adopted:
        assert adopted == {}
    assert [r.message for r in caplog.records if r.levelno == logging.WARNING] == ["not_adopted"]


async def test_an_entry_names_the_collection_its_model_and_its_fields(
    server: QdrantServer, tmp_path: Path
) -> None:
    await fill(server, "pages")
    text = f"""
adopted:
  - name: handbook
    collection: pages
    url: {server.url}
    api_key: ${{THEIR_KEY}}
    model: cohere
    fields: {{text: source_url}}
"""
    config = written(tmp_path, text)
    async with open_adopted(settings(config), NAMESPACE, {"THEIR_KEY": SECRET}) as adopted:
        handbook = adopted["handbook"]
        assert (handbook.name, handbook.model, handbook.dimensions) == ("handbook", "cohere", 3)
        [hit] = await handbook.nearest(EAST, 3, EVERYTHING)
        assert hit.chunk.text == "u"


async def test_an_entry_without_a_url_means_our_own_qdrant(
    server: QdrantServer, tmp_path: Path
) -> None:
    await fill(server, "pages")
    await fill(server, "rag_embedding")
    config = written(tmp_path, "adopted: [{collection: pages}]")
    async with open_adopted(settings(config, server.url), NAMESPACE, {}) as adopted:
        assert list(adopted) == ["pages", "rag_embedding"]
        assert await adopted["pages"].count() == 1


def test_our_key_is_sent_nowhere_but_to_our_own_url(tmp_path: Path) -> None:
    config = written(tmp_path, "adopted: [{collection: pages, url: 'http://other:6333'}]")
    theirs, ours = adoptions(settings(config, "http://ours:6333"))
    assert theirs.config == {"url": "http://other:6333"}
    assert ours.config == {"url": "http://ours:6333", "api_key": SECRET}
    assert SECRET not in repr(ours)


def test_an_entry_takes_the_place_of_spec_004s_collection(tmp_path: Path) -> None:
    config = written(tmp_path, "adopted: [{name: book, collection: rag_embedding}]")
    [only] = adoptions(settings(config, "http://ours:6333"))
    assert (only.name, only.asked_for) == ("book", True)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{collection: nowhere}", "There is no collection 'nowhere'"),
        ("{collection: odd}", "Manhattan"),
        ("{collection: odd, api_key: '${UNSET_KEY}'}", "UNSET_KEY, which is not set"),
        ("{collection: odd, color: red}", "Unknown settings: 'color'"),
    ],
)
async def test_an_entry_that_can_never_be_read_keeps_the_service_from_starting(
    server: QdrantServer, tmp_path: Path, entry: str, message: str
) -> None:
    await fill(server, "odd", models.Distance.MANHATTAN)
    config = written(tmp_path, f"adopted: [{entry}]")
    with pytest.raises(ConfigurationError, match=message) as caught:
        async with open_adopted(settings(config, server.url), NAMESPACE, {}):
            pass
    assert SECRET not in caught.value.message


async def test_a_store_that_is_away_at_the_start_is_found_when_it_is_back(
    server: QdrantServer, tmp_path: Path
) -> None:
    await fill(server, "pages")
    server.fail_with = 503
    config = written(tmp_path, "adopted: [{collection: pages}]")
    async with open_adopted(
        settings(config, server.url), NAMESPACE, {}, retry_interval_s=0.01
    ) as adopted:
        # Spec 004's collection may be there too: nobody can tell yet.
        assert list(adopted) == ["pages", "rag_embedding"]
        assert (await adopted["pages"].check()).status == "down"
        with pytest.raises(RetrievalUnavailable, match="'pages' cannot be read yet"):
            await adopted["pages"].nearest(EAST, 3, EVERYTHING)
        with pytest.raises(RetrievalUnavailable):
            _ = adopted["pages"].dimensions
        # Health looks at what there was at the start.
        probed = dict(adopted)
        server.fail_with = None
        pages = await until_read(adopted, "pages")
        assert [hit.chunk.text for hit in await pages.nearest(EAST, 3, EVERYTHING)] == ["Text"]
        async with asyncio.timeout(10):
            while "rag_embedding" in adopted:  # noqa: ASYNC110 - the dictionary does not tell
                await asyncio.sleep(0.01)
        assert [(await part.check()).status for part in probed.values()] == ["up", "up"]


async def test_a_server_that_refuses_connections_keeps_nobody_from_starting() -> None:
    async with open_adopted(settings(url=refusing()), NAMESPACE, {}) as adopted:
        with pytest.raises(RetrievalUnavailable, match="cannot be reached"):
            await adopted["rag_embedding"].count()


async def test_a_chroma_without_its_library_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    entry = "{collection: pages, provider: chromadb, url: 'http://localhost:1'}"
    config = written(tmp_path, f"adopted: [{entry}]")
    with pytest.raises(ConfigurationError, match=r"pip install 'sourcebook\[chroma\]'"):
        await open_adopted(settings(config), NAMESPACE, {}).__aenter__()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("adopted: {}", "no 'adopted' array"),
        ("- a", "no 'adopted' array"),
        ("adopted: [", "not valid YAML"),
        ("adopted: [7]", "index 0"),
        ("adopted: [{name: a}]", "'collection' is missing"),
        ("adopted: [{collection: a, provider: pinecone}]", "'provider'"),
        ("adopted: [{collection: a, fields: {tekst: b}}]", "tekst"),
        ("adopted: [{collection: a}, {name: a, collection: b}]", r"repeated: \['a'\]"),
    ],
)
def test_a_config_that_cannot_be_used_shows_how_one_looks(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=problem) as caught:
        read_adopted_file(written(tmp_path, text))
    assert "An adopted config looks like this" in caught.value.message


def test_a_config_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing\.yml"):
        read_adopted_file(tmp_path / "missing.yml")


def test_a_key_in_the_config_is_shown_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "adopted.yml"
    path.write_text("adopted: [{collection: c, api_key: a-key-that-nobody-may-see}]", "utf-8")

    (entry,) = read_adopted_file(path)

    assert "a-key-that-nobody-may-see" not in repr(entry)
    assert entry.config["api_key"] == "a-key-that-nobody-may-see"
