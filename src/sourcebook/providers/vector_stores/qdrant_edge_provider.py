"""Declares the embedded Qdrant: a folder of its own inside the data folder."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaring import Opening, Provider

DEFAULT_FOLDER = "index"


class QdrantEdgeSettings(BaseModel):
    """Where it keeps its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        DEFAULT_FOLDER,
        min_length=1,
        title="Folder",
        description="A folder inside the data folder. Only one process can have it open.",
    )


@asynccontextmanager
async def _open(settings: QdrantEdgeSettings, opening: Opening) -> AsyncIterator[VectorStore]:
    from sourcebook.providers.vector_stores.qdrant_edge import QdrantEdgeStore  # noqa: PLC0415

    async with QdrantEdgeStore(folder_inside(opening.data_dir, settings.path)) as store:
        yield store


def folder_inside(data_dir: Path, path: str) -> Path:
    """The folder that is meant; ConfigurationError if it does not lie inside the data folder."""
    # By its words alone: where a link leads that lies inside is for its owner to say.
    root = Path(os.path.abspath(data_dir))  # noqa: PTH100 - resolve() would follow links
    folder = Path(os.path.abspath(root / path))  # noqa: PTH100
    if ".." in Path(path).parts or root not in folder.parents or "\x00" in path:
        raise ConfigurationError(
            f"The store cannot keep its files at {path[:80]!r}, outside the data folder: name a"
            f" folder inside it, such as {DEFAULT_FOLDER!r}"
        )
    return folder


PROVIDER = Provider(settings=QdrantEdgeSettings, open=_open)
