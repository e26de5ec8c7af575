import asyncio

import pytest

from sourcebook.core.errors import EmbeddingFailed, EmbeddingRefused
from sourcebook.providers.embedders.ollama import known_prompts
from sourcebook.providers.embedders.ollama_provider import OllamaEmbedderSettings
from tests.embedding_server import EmbeddingServer, Fail, Hang
from tests.unit.providers.embedders.remote.fake_services import ollama

TEXTS = [f"Text number {number}." for number in range(30)]


async def test_documents_go_in_batches_and_are_not_to_be_cut() -> None:
    async with EmbeddingServer() as server, ollama(server) as embedder:
        await embedder.embed_documents(TEXTS)
    assert sorted(len(request.texts) for request in server.requests) == [10, 20]
    assert {request.path for request in server.requests} == {"/api/embed"}
    assert all(request.body["truncate"] is False for request in server.requests)
    assert all(request.body["model"] == "nomic-embed-text" for request in server.requests)


async def test_prompts_of_known_models_need_no_setting() -> None:
    async with EmbeddingServer() as server, ollama(server) as embedder:
        await embedder.embed_query("Why?")
        await embedder.embed_documents(["Because."])
    assert server.embedded == ["search_query: Why?", "search_document: Because."]


async def test_prompts_that_are_set_win() -> None:
    async with EmbeddingServer() as server, ollama(server, query_prompt="") as embedder:
        await embedder.embed_query("Why?")
        await embedder.embed_documents(["Because."])
    assert server.embedded == ["Why?", "search_document: Because."]


@pytest.mark.parametrize(
    ("model", "prompt"),
    [
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: "),
        ("someone/nomic-embed-text:v1.5", "search_query: "),
        ("all-minilm", ""),
    ],
)
def test_prompts_are_known_by_the_bare_name(model: str, prompt: str) -> None:
    assert known_prompts(model).query == prompt


async def test_the_server_tells_dimensions_and_context() -> None:
    async with EmbeddingServer(dimensions=12) as server, ollama(server) as embedder:
        assert (embedder.dimensions, embedder.max_tokens) == (12, 512)
    assert server.requests == []


async def test_no_more_is_sent_than_ollama_reads_by_default() -> None:
    show = {"model_info": {"bert.embedding_length": 8, "bert.context_length": 8192}}
    async with EmbeddingServer(show=show) as server, ollama(server) as embedder:
        assert embedder.max_tokens == 2048


async def test_a_model_that_is_not_described_is_asked_for_a_vector() -> None:
    async with EmbeddingServer(show={"details": {}}) as server, ollama(server) as embedder:
        assert (embedder.dimensions, embedder.max_tokens) == (8, 512)
    assert len(server.requests) == 1


async def test_the_revision_follows_the_digest_and_not_the_place() -> None:
    async with EmbeddingServer() as one, EmbeddingServer() as other:
        async with ollama(one) as first, ollama(other, path="nomic-embed-text:latest") as second:
            assert first.revision == second.revision
        async with ollama(one, document_prompt="") as third:
            assert third.revision != first.revision


async def test_an_old_server_is_asked_text_by_text_from_then_on() -> None:
    async with EmbeddingServer(is_old=True) as server, ollama(server) as embedder:
        tried_before = len(server.probes)
        await embedder.embed_documents(TEXTS[:5])
        await embedder.embed_query("Why?")
        tried = [probe.path for probe in server.probes[tried_before:]]
    assert tried == ["/api/embed"]
    assert [request.path for request in server.requests] == ["/api/embeddings"] * 6
    assert server.requests[-1].body == {
        "model": "nomic-embed-text",
        "prompt": "search_query: Why?",
    }


async def test_an_old_server_is_asked_for_a_few_texts_at_once() -> None:
    async with EmbeddingServer(is_old=True) as server, ollama(server) as embedder:
        server.gate.clear()
        embedding = asyncio.create_task(embedder.embed_documents(TEXTS))
        await server.arrived(4)
        server.gate.set()
        assert len(await embedding) == len(TEXTS)
    assert server.most_at_once == 4


async def test_a_missing_model_says_how_to_get_it() -> None:
    async with EmbeddingServer() as server:
        with pytest.raises(EmbeddingRefused, match="run `ollama pull mxbai-embed-large`"):
            async with ollama(server, path="mxbai-embed-large"):
                pass


async def test_a_model_that_goes_missing_is_not_taken_for_an_old_server() -> None:
    async with EmbeddingServer() as server, ollama(server) as embedder:
        server.models = ()
        with pytest.raises(EmbeddingRefused, match="ollama pull nomic-embed-text"):
            await embedder.embed_query("Why?")
        server.models = ("nomic-embed-text:latest",)
        await embedder.embed_query("Why?")
    assert [request.path for request in server.requests] == ["/api/embed"] * 2


async def test_a_server_that_is_away_is_an_error_at_the_start() -> None:
    async with EmbeddingServer() as server:
        url = server.url
    with pytest.raises(EmbeddingFailed, match="cannot be reached"):
        async with ollama(server, base_url=url):
            pass


async def test_a_server_in_trouble_gives_no_revision_that_would_change_later() -> None:
    async with EmbeddingServer(probe_status=500) as server:
        with pytest.raises(EmbeddingFailed, match="status 500"):
            async with ollama(server):
                pass


async def test_a_failure_is_not_taken_for_an_old_server() -> None:
    async with EmbeddingServer([Fail(500)]) as server, ollama(server) as embedder:
        with pytest.raises(EmbeddingFailed, match="status 500"):
            await embedder.embed_query("Why?")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:11434"),
        ("0.0.0.0:11435", "http://127.0.0.1:11435"),
        ("http://gpu:11434/", "http://gpu:11434"),
        ("https://proxy/ollama/v1/", "https://proxy/ollama"),
    ],
)
def test_the_host_is_understood_as_ollama_has_it(host: str, url: str) -> None:
    assert OllamaEmbedderSettings.model_validate({"base_url": host}).base_url == url


async def test_at_an_old_server_a_question_does_not_wait_behind_documents() -> None:
    async with EmbeddingServer([Hang()] * 4, is_old=True) as server, ollama(server) as embedder:
        bulk = asyncio.create_task(embedder.embed_documents(TEXTS))
        await server.arrived(4)
        assert len(await embedder.embed_query("Why?")) == 8
        bulk.cancel()
        await asyncio.wait([bulk])
