"""Declares the reader that runs on this machine."""

from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.ports import Reader, Reranker
from sourcebook.providers.declaration import Provider

BUNDLED_READER = "bundled"


class ReaderSettings(BaseModel):
    """Which reader to run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        BUNDLED_READER,
        min_length=1,
        title="Reader",
        description="`bundled`, or a folder with the files adapter.safetensors and reader.json.",
    )


_OPENER = "sourcebook.providers.readers.openvino:open_openvino_reader"

OPENVINO: Provider[ReaderSettings, Reader] = Provider(ReaderSettings, _OPENER)
RERANKER: Provider[ReaderSettings, Reranker] = Provider(ReaderSettings, _OPENER)
