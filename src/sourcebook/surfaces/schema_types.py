"""What the schemas of every contract share: strict request models, text checks, timestamps."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeAlias, overload

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from sourcebook.core.health import Condition
from sourcebook.core.text import is_blank

# How a collection's store is doing, in Qdrant's own words.
StoreColour: TypeAlias = Literal["green", "yellow", "red"]
STORE_COLOURS: Mapping[Condition, StoreColour] = {
    "up": "green",
    "degraded": "yellow",
    "down": "red",
}


class WireModel(BaseModel):
    """A reply, or a part of one. What reads and writes it is built when it is first used.

    Building those of all contracts takes as long as answering a question, and a command needs few.
    """

    model_config = ConfigDict(defer_build=True)


class StrictIn(BaseModel):
    """A request whose types are taken literally: neither true nor "5" is a number."""

    model_config = ConfigDict(strict=True)


def refuse_nul(text: str) -> str:
    """Refuse a character that databases cannot store."""
    if "\x00" in text:
        raise PydanticCustomError("nul", "must not hold NUL characters")
    return text


def refuse_blank(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("blank", "must not be blank")
    return text


@overload
def utc_time(unix_s: float) -> datetime: ...
@overload
def utc_time(unix_s: None) -> None: ...
@overload
def utc_time(unix_s: float | None) -> datetime | None: ...
def utc_time(unix_s: float | None) -> datetime | None:
    """Convert a time of the ledger; JSON shows it with a Z."""
    return None if unix_s is None else datetime.fromtimestamp(unix_s, UTC)


# Where something stands in the file that its text was converted from; null where that is unknown.
PageNumber: TypeAlias = Annotated[int | None, Field(description="The page of a PDF, from 1")]
Boxes: TypeAlias = Annotated[
    list[list[float]] | None,
    Field(description="On the page: left, top, width and height, as shares of its size"),
]
PageAnchor: TypeAlias = Annotated[str | None, Field(description="A heading's id in a web page")]
SlideNumber: TypeAlias = Annotated[int | None, Field(description="The slide, from 1")]
RowNumber: TypeAlias = Annotated[int | None, Field(description="The row of a table, from 1")]
CellNumber: TypeAlias = Annotated[int | None, Field(description="The cell of a notebook, from 1")]
