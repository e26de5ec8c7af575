"""What nobody expected is a 500 without a stack, with an id that leads to the log."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from sourcebook.core.collections import Collection
from sourcebook.surfaces.use_cases import UseCases
from tests.conftest import open_client

SECRET = "postgres://user:canary@host/db"


class _CrashingCatalog:
    async def get(self, name: str) -> Collection:
        raise RuntimeError(f"cannot reach {SECRET}")


@pytest.fixture
async def crashing(use_cases: UseCases) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(replace(use_cases, catalog=_CrashingCatalog())) as client:  # type: ignore[arg-type]
        yield client


async def test_a_crash_is_a_500_that_tells_nothing_inside(
    crashing: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    reply = await crashing.get("/collections/robotics")

    assert reply.status_code == 500
    assert list(reply.json()) == ["detail"]
    assert SECRET not in reply.text
    assert "Traceback" not in reply.text
    assert reply.headers["x-request-id"]
    assert "request_crashed" in caplog.messages
