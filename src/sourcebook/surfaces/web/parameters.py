"""Parameters that the routes of the web share, and how they fail."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AfterValidator

from sourcebook.surfaces.schema_types import refuse_nul

_JSON: dict[str, Any] = {"content": {"application/json": {}}}
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "A parameter cannot be used", **_JSON},
    404: {"description": "No such book or lesson", **_JSON},
    503: {"description": "The ledger is unavailable", **_JSON},
}

BookId = Annotated[
    Annotated[str, AfterValidator(refuse_nul)] | None,
    Query(min_length=1, max_length=200, description="This book alone, instead of all"),
]
