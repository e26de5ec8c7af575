"""What a service answers `sourcebook eval`: every way in which that can go wrong has words."""

from collections.abc import Callable

import httpx2
import pytest

from sourcebook.cli.service_client import ServiceClient
from sourcebook.core.errors import SourcebookError
from sourcebook.surfaces.book.schemas import InfoOut


def client_of(answer: Callable[[httpx2.Request], httpx2.Response]) -> ServiceClient:
    transport = httpx2.MockTransport(answer)
    return ServiceClient(httpx2.AsyncClient(transport=transport, base_url="http://book"))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"detail": "no folder below"}, "no folder below"),
        ({"error_code": "x", "message": "too much", "retry_after": 3}, "room again in 3 s"),
    ],
)
async def test_what_the_service_refuses_is_said_in_its_own_words(
    body: dict[str, object], says: str
) -> None:
    client = client_of(lambda _: httpx2.Response(422, json=body))

    with pytest.raises(SourcebookError, match=says):
        await client.request("GET", "/info", InfoOut)


async def test_a_service_that_is_away_is_named() -> None:
    def refuse(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(SourcebookError, match="http://book does not answer"):
        await client_of(refuse).request("GET", "/info", InfoOut)


@pytest.mark.parametrize("body", ["<html>", "{}", "[]", ""])
@pytest.mark.parametrize(("status", "says"), [(200, "does not understand"), (502, "status 502")])
async def test_a_reply_of_another_kind_is_no_traceback(body: str, status: int, says: str) -> None:
    client = client_of(lambda _: httpx2.Response(status, text=body))

    with pytest.raises(SourcebookError, match=says):
        await client.request("GET", "/info", InfoOut)
