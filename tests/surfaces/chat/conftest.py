"""A chat behind HTTP, whose answers the test writes."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI

from sourcebook.surfaces.admission import Admission, RateLimit
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.chatting import chat_app, client_of
from tests.surfaces.chat.fake_sessions import FakeSessions


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def admission() -> Admission:
    return Admission(chats=RateLimit(0))


@pytest.fixture
def app(use_cases: UseCases, sessions: FakeSessions, admission: Admission) -> FastAPI:
    return chat_app(use_cases, sessions, admission)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(app) as client:
        yield client
