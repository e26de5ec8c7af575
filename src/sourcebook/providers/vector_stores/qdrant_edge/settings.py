"""The settings of the embedded Qdrant engine."""

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_FOLDER = "index"


class QdrantEdgeSettings(BaseModel):
    """Where the engine keeps its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        DEFAULT_FOLDER,
        min_length=1,
        title="Folder",
        description="A folder inside the data folder. Only one process can have it open.",
    )
