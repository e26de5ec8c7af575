"""Makes an app of a few routes, without FastAPI, that replies as the whole app does."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sourcebook.core.errors import InvalidInput
from sourcebook.surfaces.errors import ErrorDialect, install_dialects
from sourcebook.surfaces.rate_limits import RateLimit, RateLimits
from sourcebook.surfaces.strict_json import StrictRequest
from sourcebook.surfaces.validation_errors import problems_in_body

Body = TypeVar("Body", bound=BaseModel)


def small_app(routes: list[Route], dialect: ErrorDialect) -> Starlette:
    """Return an app of these routes, with its errors in the words of their contract."""
    app = Starlette(routes=routes)
    app.state.rate_limits = no_limits()
    install_dialects(app, {}, default=dialect)
    return app


def no_limits() -> RateLimits:
    """Return the limits of an app that only this process can ask."""
    return RateLimits(chats=RateLimit(0))


async def parsed(request: Request, kind: type[Body]) -> Body:
    """Parse a body as the routes do, with the first thing that is wrong as the message."""
    given = await StrictRequest(request.scope, request.receive).json()
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise InvalidInput(problems_in_body(error)[0].message) from None


def reply(out: BaseModel) -> Response:
    """Send what is set of a reply, as the routes do."""
    return Response(out.model_dump_json(exclude_unset=True), media_type="application/json")
