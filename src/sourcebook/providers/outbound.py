"""The one place where HTTP clients for other people's servers come from."""

from collections.abc import Mapping

import httpx2

CONNECT_S = 3.0


def open_client(
    *, timeout_s: float, headers: Mapping[str, str] | None = None
) -> httpx2.AsyncClient:
    """A client that follows no redirects and reads nothing from the environment."""
    return httpx2.AsyncClient(
        headers=dict(headers or {}),
        timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S)),
        follow_redirects=False,
        trust_env=False,
    )
