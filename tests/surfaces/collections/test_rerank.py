"""Putting texts in order with a cross-encoder."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client
from tests.fakes import FakeReranker

CANDIDATES = [
    {"id": "a", "text": "nothing of the kind"},
    {"id": "b", "text": "a node is a process"},
    {"id": "c", "text": "a process"},
]


@pytest.fixture
async def ranking(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(replace(use_cases, reranker=FakeReranker())) as client:
        yield client


async def test_the_best_text_comes_first_with_its_old_place(ranking: httpx2.AsyncClient) -> None:
    body = {"query": "node process", "documents": CANDIDATES}

    reply = await ranking.post("/rerank", json=body)

    assert reply.json() == {
        "reranked": [
            {"id": "b", "score": -0.5, "original_rank": 2},
            {"id": "c", "score": -1.5, "original_rank": 3},
            {"id": "a", "score": -2.5, "original_rank": 1},
        ]
    }


async def test_top_k_cuts_the_list(ranking: httpx2.AsyncClient) -> None:
    body = {"query": "node process", "documents": CANDIDATES, "top_k": 1}

    reply = await ranking.post("/rerank", json=body)

    assert [item["id"] for item in reply.json()["reranked"]] == ["b"]


async def test_no_documents_are_no_error(ranking: httpx2.AsyncClient) -> None:
    reply = await ranking.post("/rerank", json={"query": "node", "documents": []})

    assert (reply.status_code, reply.json()) == (200, {"reranked": []})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"documents": CANDIDATES}, "'query' is required"),
        ({"query": "node"}, "Documents array is required"),
        (
            {"query": "node", "documents": [{"id": "a"}]},
            "Document at index 0 missing required 'text'",
        ),
        ({"query": "node", "documents": [{"text": "a"}]}, "Document at index 0"),
        ({"query": "node", "documents": CANDIDATES, "top_k": 0}, "top_k"),
    ],
)
async def test_missing_parts_are_400(ranking: httpx2.AsyncClient, body: object, says: str) -> None:
    reply = await ranking.post("/rerank", json=body)

    assert reply.status_code == 400
    assert says in reply.json()["detail"]


async def test_without_a_cross_encoder_reranking_is_503(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/rerank", json={"query": "node", "documents": CANDIDATES})

    assert reply.status_code == 503
    assert reply.json() == {
        "detail": "Cross-encoder not loaded. Start server with --cross-encoder flag."
    }
