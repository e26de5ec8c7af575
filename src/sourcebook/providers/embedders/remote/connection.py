"""Connects to an HTTP service with the URL and the key of its settings."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2
import orjson
from pydantic import SecretStr

from sourcebook.core.metadata import JsonValue
from sourcebook.providers.embedders.remote.settings import ConnectionSettings
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.json_server import JsonServer


@asynccontextmanager
async def connect(settings: ConnectionSettings) -> AsyncIterator[JsonServer]:
    """Hold connections to a service while the context lasts. Nothing is sent yet."""
    headers = bearer_headers(settings.api_key)
    async with open_client(timeout_s=settings.timeout_s, headers=headers) as client:
        yield JsonServer(client, settings.base_url)


async def fetch_json(
    client: httpx2.AsyncClient,
    url: str,
    key: SecretStr | None,
    *,
    optional: bool = False,
) -> JsonValue:
    """Return the JSON at a URL; None if it is optional and not there. httpx2.HTTPError."""
    response = await client.get(url, headers=bearer_headers(key))
    if optional and response.status_code in {404, 405}:
        return None
    # Also for a redirect: nobody follows it, so it is no success.
    response.raise_for_status()
    try:
        found: JsonValue = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        raise httpx2.DecodingError("The reply is no JSON", request=response.request) from None
    return found


def bearer_headers(key: SecretStr | None) -> Mapping[str, str]:
    """Return the headers that carry a key."""
    return {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}
