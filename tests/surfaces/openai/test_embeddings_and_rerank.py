"""Texts are embedded and reranked in the formats of OpenAI, Jina and Cohere."""

import httpx2
import openai
import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from tests.fakes import FakeEmbedder


async def test_openais_client_gets_the_vectors_of_the_model(
    ai: openai.AsyncOpenAI, embedder: FakeEmbedder
) -> None:
    texts = ["a node of a robot", "dough"]

    # The client asks for base64 by itself.
    packed = await ai.embeddings.create(model="minilm", input=texts)
    plain = await ai.embeddings.create(model="fakes/minilm", input=texts, encoding_format="float")

    ((first,), (second,)) = await embedder.embed_documents(texts)
    assert plain.data[0].embedding == pytest.approx(list(first))
    assert packed.data[1].embedding == pytest.approx(list(second))
    assert plain.model == packed.model == "minilm"


async def test_a_text_longer_than_the_model_reads_gets_one_vector_of_length_one(
    client: httpx2.AsyncClient, embedder: FakeEmbedder
) -> None:
    text = "node " * 300 + "dough " * 300

    reply = await client.post("/v1/embeddings", json={"model": "minilm", "input": text})

    (vector,) = (one["embedding"] for one in reply.json()["data"])
    assert sum(value * value for value in vector) == pytest.approx(1.0)
    assert len(vector) == embedder.dimensions


@pytest.mark.parametrize("tokens", [[1, 2, 3], [[1, 2], [3]]])
async def test_tokens_are_refused_with_the_setting_that_sends_text(
    client: httpx2.AsyncClient, tokens: list[object]
) -> None:
    reply = await client.post("/v1/embeddings", json={"model": "minilm", "input": tokens})

    assert reply.status_code == 400
    assert "check_embedding_ctx_length=False" in reply.json()["error"]["message"]


async def test_an_embedding_model_that_is_not_loaded_is_refused_with_those_that_are(
    client: httpx2.AsyncClient, models: EmbeddingModels
) -> None:
    reply = await client.post("/v1/embeddings", json={"model": "ada", "input": "a"})

    assert reply.status_code == 404
    assert str(models.ids) in reply.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank"])
async def test_texts_are_reranked_by_their_places_in_the_request(
    client: httpx2.AsyncClient, path: str
) -> None:
    body = {
        "model": "any",
        "query": "a node of a robot",
        "documents": ["dough", {"text": "a node"}, "a node of a robot"],
        "top_n": 2,
    }

    plain = (await client.post(path, json=body)).json()["results"]
    with_texts = (await client.post(path, json={**body, "return_documents": True})).json()

    assert [one["index"] for one in plain] == [2, 1]
    assert list(plain[0]) == ["index", "relevance_score"]
    assert plain[0]["relevance_score"] > plain[1]["relevance_score"]
    assert with_texts["results"][1]["document"] == {"text": "a node"}
