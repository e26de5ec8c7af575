import pytest

from sourcebook.core.errors import ConfigurationError, EmbeddingFailed
from tests.embedding_server import EmbeddingServer, Raw, Work
from tests.unit.providers.embedders.remote.fake_services import KEY, cohere


async def test_documents_go_in_batches_of_ninety_six() -> None:
    texts = [f"Text number {number}." for number in range(200)]
    async with EmbeddingServer() as server, cohere(server) as embedder:
        assert len(await embedder.embed_documents(texts)) == 200
    assert sorted(len(request.texts) for request in server.requests) == [8, 96, 96]


async def test_questions_and_documents_are_told_apart() -> None:
    async with EmbeddingServer() as server, cohere(server) as embedder:
        await embedder.embed_documents(["Because."])
        await embedder.embed_query("Why?")
    document, query = server.requests
    assert document.body["input_type"] == "search_document"
    assert query.body["input_type"] == "search_query"


async def test_a_request_is_what_cohere_expects() -> None:
    async with (
        EmbeddingServer(dimensions=1024) as server,
        cohere(server, path="embed-english-v3.0") as embedder,
    ):
        await embedder.embed_query("Why?")
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v2/embed")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "embed-english-v3.0",
        "texts": ["Why?"],
        "input_type": "search_query",
        "embedding_types": ["float"],
        "truncate": "NONE",
    }


@pytest.mark.parametrize(
    ("model", "dimensions", "max_tokens"),
    [
        ("embed-english-v3.0", 1024, 512),
        ("embed-multilingual-v3.0", 1024, 512),
        ("embed-english-light-v3.0", 384, 512),
        ("embed-multilingual-light-v3.0", 384, 512),
        ("embed-v4.0", 1536, 8192),
    ],
)
async def test_known_models_open_without_a_request(
    model: str, dimensions: int, max_tokens: int
) -> None:
    async with (
        EmbeddingServer() as server,
        cohere(server, path=model, dimensions=None) as embedder,
    ):
        assert (embedder.dimensions, embedder.max_tokens) == (dimensions, max_tokens)
    assert server.requests == server.probes == []


async def test_the_fourth_generation_is_told_how_long_its_vectors_shall_be() -> None:
    async with (
        EmbeddingServer(dimensions=256) as server,
        cohere(server, path="embed-v4.0") as embedder,
    ):
        await embedder.embed_query("Why?")
    assert server.requests[0].body["output_dimension"] == 256


async def test_dimensions_that_a_model_does_not_have_are_refused() -> None:
    async with EmbeddingServer() as server:
        with pytest.raises(ConfigurationError, match=r"Available: \[1024\]"):
            async with cohere(server, path="embed-english-v3.0", dimensions=8):
                pass


async def test_a_text_longer_than_the_model_reads_is_sent_in_windows() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    async with (
        EmbeddingServer(dimensions=1024) as server,
        cohere(server, path="embed-english-v3.0") as embedder,
    ):
        await embedder.embed_documents([text])
        [spans] = await embedder.tokenize([text])
    [request] = server.requests
    assert len(request.texts) > len(spans) // 512 >= 1
    assert "".join(request.texts) == text


@pytest.mark.parametrize("body", ['{"embeddings": [[1.0]]}', '{"embeddings": {"int8": [[1]]}}'])
async def test_a_reply_of_another_form_is_a_failure(body: str) -> None:
    async with EmbeddingServer([Raw(body)]) as server, cohere(server) as embedder:
        with pytest.raises(EmbeddingFailed, match="another form"):
            await embedder.embed_query("Why?")


async def test_a_vector_too_few_is_a_failure() -> None:
    async with EmbeddingServer([Work(most=1)]) as server, cohere(server) as embedder:
        with pytest.raises(EmbeddingFailed, match="gave 1 vectors for 2 texts"):
            await embedder.embed_documents(["one", "two"])
