"""Two books behind OpenAI's API, and openai-python as its client."""

from collections.abc import AsyncIterator

import httpx2
import openai
import pytest
from fastapi import FastAPI

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.surfaces.use_cases import UseCases
from tests.memory_store import MemoryStore
from tests.two_books import keyed_app, streaming_client, two_books


@pytest.fixture
async def use_cases(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> UseCases:
    return await two_books(ledger, store, models)


@pytest.fixture
def app(use_cases: UseCases) -> FastAPI:
    return keyed_app(use_cases)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with streaming_client(app) as client:
        yield client


@pytest.fixture
async def ai(app: FastAPI) -> AsyncIterator[openai.AsyncOpenAI]:
    async with streaming_client(app) as http:
        yield client_of(http)


def client_of(http: httpx2.AsyncClient, key: str = "unused") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key, base_url="http://localhost/v1", http_client=http, max_retries=0
    )
