"""The dependency that gives the use cases to a route of FastAPI."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from sourcebook.surfaces.use_cases import UseCases


async def use_cases(request: Request) -> UseCases:
    """Return the use cases of the app. Async, or FastAPI would use a thread."""
    found = request.app.state.use_cases
    assert isinstance(found, UseCases)  # noqa: S101 - for the type checker
    return found


Using = Annotated[UseCases, Depends(use_cases)]
