"""A stream is whole once the model said that it has finished, however its bytes are cut."""

from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest

from sourcebook.providers.language_models.http_client import CompleteStream, StreamEnd


class Parts(httpx2.AsyncByteStream):
    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


async def read(body: bytes, size: int) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join([part async for part in CompleteStream(Parts(parts))])


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    "end",
    [
        b"data: [DONE]\n\n",
        b"data:[DONE]\n\n",
        b'data: {"choices": [{"finish_reason": "stop"}]}\n\n',
        b'data: {"choices":[{"finish_reason":"length"}]}\n\n',
    ],
)
async def test_a_stream_with_an_end_is_whole(end: bytes, size: int) -> None:
    body = b'data: {"choices": []}\n\n' * 3 + end + b'data: {"usage": {}}\n\n'

    assert await read(body, size) == body


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        (b'"length"', True),
        (b'"model_length"', True),
        (b'"content_filter"', True),
        (b'"stop"', False),
        (b'"tool_calls"', False),
        (b"null", False),
    ],
)
async def test_a_stream_tells_whether_the_model_was_stopped(
    reason: bytes, is_cut: bool, size: int
) -> None:
    said = rb'data: {"choices": [{"delta": {"content": "\"finish_reason\": \"length\""}}]}'
    body = said + b'\n\ndata: {"choices": [{"finish_reason" : ' + reason + b"}]}\n\ndata: [DONE]"
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    end = StreamEnd()

    assert b"".join([part async for part in CompleteStream(Parts(parts), end)]) == body
    assert end.is_cut is is_cut


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'data: {"choices": [{"finish_reason": null}]}\n\n',
        rb'data: {"choices": [{"delta": {"content": "\"finish_reason\": \"stop\""}}]}',
    ],
)
async def test_a_stream_without_an_end_is_not(body: bytes, size: int) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await read(body, size)
