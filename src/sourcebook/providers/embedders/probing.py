"""Trying a service out with one request that costs nothing."""

from collections.abc import Mapping

import httpx2
import orjson

from sourcebook.core.metadata import JsonValue


async def fetch(
    client: httpx2.AsyncClient, url: str, headers: Mapping[str, str], *, may_miss: bool = False
) -> JsonValue:
    """The JSON at a URL; None if there is nothing and there may be nothing. httpx2.HTTPError."""
    response = await client.get(url, headers=dict(headers))
    if may_miss and response.status_code in {404, 405}:
        return None
    # Also a redirect: nobody follows it, so it is no success.
    response.raise_for_status()
    try:
        found: JsonValue = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        raise httpx2.DecodingError("The reply is no JSON", request=response.request) from None
    return found
