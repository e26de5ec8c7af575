"""A chat behind HTTP, whose answers the test writes."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI

from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chat_client import chat_app, client_of
from tests.surfaces.chat.fake_sessions import FakeSessions


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def rate_limits() -> RateLimits:
    return RateLimits(chats=RateLimit(0))


@pytest.fixture
def app(use_cases: UseCases, sessions: FakeSessions, rate_limits: RateLimits) -> FastAPI:
    return chat_app(use_cases, sessions, rate_limits)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(app) as client:
        yield client
