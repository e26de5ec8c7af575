import json

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from sourcebook.providers.embedders.openai_provider import (
    OpenAiCompatibleEmbedderSettings,
    OpenAiEmbedderSettings,
)
from tests.embedding_server import EmbeddingServer, Raw, embed, unit
from tests.unit.providers.embedders.remote.fake_services import KEY, compatible, openai

TEXTS = [f"Text number {number}." for number in range(50)]


async def test_documents_go_in_batches_of_twenty() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        await embedder.embed_documents(TEXTS)
    assert sorted(len(request.texts) for request in server.requests) == [10, 20, 20]
    assert sorted(server.embedded) == sorted(TEXTS)


async def test_a_request_is_what_openai_expects() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        await embedder.embed_query("Why?")
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.body == {
        "model": "text-embedding-3-small",
        "input": ["Why?"],
        "encoding_format": "base64",
        "dimensions": 8,
    }


async def test_vectors_come_back_in_order_and_exact() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        embeddings = await embedder.embed_documents(TEXTS)
    for text, (vector,) in zip(TEXTS, embeddings, strict=True):
        sent = np.asarray(embed(text, 8), dtype=np.float32)
        assert vector == np.asarray(unit(sent.tolist()), dtype=np.float32).tolist()


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [
        ("text-embedding-3-small", 1536),
        ("text-embedding-3-large", 3072),
        ("text-embedding-ada-002", 1536),
    ],
)
async def test_known_models_open_without_a_request(model: str, dimensions: int) -> None:
    async with (
        EmbeddingServer() as server,
        openai(server, path=model, dimensions=None) as embedder,
    ):
        assert embedder.dimensions == dimensions
        assert embedder.max_tokens == 8191
        assert embedder.name == model
    assert server.requests == server.probes == []


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [("text-embedding-ada-002", 512), ("text-embedding-3-small", 3072)],
)
async def test_dimensions_that_a_model_does_not_have_are_refused(
    model: str, dimensions: int
) -> None:
    async with EmbeddingServer() as server:
        with pytest.raises(ConfigurationError, match=f"1536 dimensions, not {dimensions}"):
            async with openai(server, path=model, dimensions=dimensions):
                pass


async def test_a_model_that_we_do_not_know_is_asked_once_for_its_dimensions() -> None:
    async with EmbeddingServer(dimensions=12) as server:
        async with openai(server, path="text-embedding-9", dimensions=None) as embedder:
            assert embedder.dimensions == 12
        assert len(server.requests) == 1
        assert "dimensions" not in server.requests[0].body


async def test_a_batch_is_bounded_by_its_tokens_too() -> None:
    text = "word " * 8_000
    async with EmbeddingServer() as server, openai(server) as embedder:
        await embedder.embed_documents([text] * 20)
    assert sorted(len(request.texts) for request in server.requests) == [2, 18]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(0, [1.0] * 8), (0, [1.0] * 8)], "wrong index"),
        ([(0, [1.0] * 8), (2, [1.0] * 8)], "wrong index"),
        ([(0, [1.0] * 8), (None, [1.0] * 8)], "wrong index"),
        ([(0, [1.0] * 8)], "gave 1 vectors for 2 texts"),
        ([(0, [1.0] * 8), (1, None)], "no vector"),
        ([(0, [1.0] * 8), (1, ["1.0"] * 8)], "no vector"),
        ([(0, [1.0] * 8), (1, [[1.0], [1.0, 2.0]])], "no vector"),
        ([(0, [1.0] * 8), (1, "not base64!")], "no vector"),
        ([(0, [1.0] * 8), (1, [1e300] * 8)], "not finite"),
        ([(0, [1.0] * 8), (1, [1.0] * 9)], "9 dimensions, not 8"),
        ([(0, [1.0] * 8), (1, [0.0] * 8)], "zero vector"),
    ],
)
async def test_a_reply_that_cannot_be_trusted_is_a_failure(
    rows: list[tuple[object, object]], problem: str
) -> None:
    data = [{"index": index, "embedding": vector} for index, vector in rows]
    act = Raw(json.dumps({"data": data}))
    async with EmbeddingServer([act]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingFailed, match=problem):
            await embedder.embed_documents(["one", "two"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}", '{"data": {}}', '{"data": [NaN]}', "1"])
async def test_a_reply_of_another_form_is_a_failure(body: str) -> None:
    async with EmbeddingServer([Raw(body)]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingFailed, match="'mine' gave"):
            await embedder.embed_query("Why?")


async def test_a_compatible_server_is_asked_for_plain_numbers_and_needs_no_key() -> None:
    async with EmbeddingServer() as server, compatible(server, dimensions=8) as embedder:
        assert server.requests == []
        await embedder.embed_query("Why?")
    [request] = server.requests
    assert "authorization" not in request.headers
    assert request.body == {"model": "bge-small", "input": ["Why?"], "encoding_format": "float"}


async def test_a_compatible_server_is_asked_once_for_its_dimensions() -> None:
    async with EmbeddingServer(dimensions=12) as server, compatible(server) as embedder:
        assert embedder.dimensions == 12
        assert len(server.requests) == 1


async def test_prompts_go_before_every_text() -> None:
    async with EmbeddingServer() as server:
        prompts = {"query_prompt": "query: ", "document_prompt": "passage: "}
        async with compatible(server, dimensions=8, **prompts) as embedder:
            await embedder.embed_query("Why?")
            await embedder.embed_documents(["Because."])
    assert server.embedded == ["query: Why?", "passage: Because."]


async def test_the_revision_tells_models_apart_that_give_other_vectors() -> None:
    async with EmbeddingServer() as one, EmbeddingServer() as other:
        revisions = set()
        changes: list[tuple[EmbeddingServer, dict[str, object]]] = [
            (one, {}),
            (one, {"path": "other"}),
            (one, {"max_tokens": 256}),
            (one, {"query_prompt": "query: "}),
            (one, {"dimensions": 9}),
            (other, {}),
        ]
        for server, more in changes:
            async with compatible(server, **{"dimensions": 8, **more}) as embedder:
                revisions.add(embedder.revision)
        async with compatible(one, dimensions=8, timeout_s=1, batch_size=2) as embedder:
            assert embedder.revision in revisions
    assert len(revisions) == 6


def test_the_model_may_be_called_path_or_model() -> None:
    one = OpenAiEmbedderSettings.model_validate({"api_key": KEY, "path": "a"})
    other = OpenAiEmbedderSettings.model_validate({"api_key": KEY, "model": "a"})
    assert one == other


def test_settings_do_not_show_the_key() -> None:
    assert KEY not in repr(OpenAiEmbedderSettings.model_validate({"api_key": KEY}))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host/v1",
        "http://",
        "http://user:pass@host/v1",
        "http://host/v1?a=b",
        "http://host/#a",
        "http://ho st/",
        "http://host:0/",
        "http://[::1/",
    ],
)
def test_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        OpenAiCompatibleEmbedderSettings.model_validate({"path": "m", "base_url": url})


@pytest.mark.parametrize("key", ["", " ", "two words", "k\r\nx: y", "clé"])
def test_what_is_no_key_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ValueError, match="no key has") as caught:
        OpenAiEmbedderSettings.model_validate({"api_key": key})
    assert not key.strip() or key not in str(caught.value)
