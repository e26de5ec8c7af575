"""An HTTP client of a Sourcebook service; a refused request raises the service's own message.

Only `sourcebook eval` asks over HTTP: a service anywhere, or an app in this process.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from sourcebook.core.errors import SourcebookError, Unavailable

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.use_cases import UseCases

KEY_HEADER = "X-Admin-API-Key"
FIRST_ERROR_STATUS = 400
MIN_REQUEST_TIMEOUT_S = 60.0
REPLY_MARGIN_S = 10.0

Method: TypeAlias = Literal["GET", "POST", "DELETE"]
Model = TypeVar("Model", bound=BaseModel)


class RequestRefused(SourcebookError):
    """The service refused a request, for the reason in the message."""

    code = "refused"


class ServiceClient:
    """Sends requests and reads the replies as wire models."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def request(
        self,
        method: Method,
        path: str,
        kind: type[Model],
        *,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Model:
        """Send a request and parse the reply as `kind`."""
        reply = await self.send(method, path, body, params)
        try:
            return kind.model_validate_json(reply.content)
        except ValidationError:
            raise RequestRefused(
                f"The service at {self._http.base_url} answers {path} in a way that this command"
                " does not understand. Is it another version of Sourcebook?"
            ) from None

    async def send(
        self,
        method: Method,
        path: str,
        body: BaseModel | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """Return the reply unparsed. Raises RequestRefused or Unavailable."""
        json = None if body is None else body.model_dump(mode="json", exclude_none=True)
        try:
            reply = await self._http.request(method, path, json=json, params=params)
        except httpx2.HTTPError as error:
            raise Unavailable(
                f"The service at {self._http.base_url} does not answer ({type(error).__name__})."
                " It may still be starting, or stopping"
            ) from error
        if reply.status_code >= FIRST_ERROR_STATUS:
            raise RequestRefused(_reason(reply))
        return reply


def remote_client(
    settings: "Settings", url: str, transport: httpx2.AsyncBaseTransport | None = None
) -> httpx2.AsyncClient:
    """Return a client of a service, with the configured admin key."""
    key = settings.admin_api_key
    return httpx2.AsyncClient(
        base_url=url,
        headers={} if key is None else {KEY_HEADER: key.get_secret_value()},
        transport=transport,
        timeout=max(MIN_REQUEST_TIMEOUT_S, settings.chat_timeout_s + REPLY_MARGIN_S),
    )


def local_client(use_cases: "UseCases") -> httpx2.AsyncClient:
    """Return a client of an app in this process, which needs neither keys nor limits."""
    from sourcebook.service.http.app import create_app
    from sourcebook.surfaces.admin_key import AccessRule
    from sourcebook.surfaces.rate_limits import RateLimit, RateLimits

    app = create_app(
        use_cases,
        AccessRule(None),
        origins=(),
        admin=AccessRule(None),
        rate_limits=RateLimits(chats=RateLimit(0)),
    )
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    return httpx2.AsyncClient(base_url="http://localhost", transport=transport, timeout=None)


def _reason(reply: httpx2.Response) -> str:
    """Return what the body says, in the words of its contract."""
    try:
        said = reply.json()
        message = str(said["detail"] if "detail" in said else said["message"])
        again_in_s = said.get("retry_after")
    except (ValueError, LookupError, TypeError, AttributeError):
        return f"The service answered with status {reply.status_code}"
    return message if again_in_s is None else f"{message} (there is room again in {again_in_s} s)"
