"""Declares the hashing embedder."""

from pydantic import BaseModel, Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Provider


class HashingSettings(BaseModel):
    """An embedder has a `path`: which model it is to run."""

    path: str = Field("words", description="Only a name: there is no model.")
    dimensions: int = Field(256, ge=16, le=4096, description="The length of the vectors.")


PROVIDER: Provider[HashingSettings, Embedder] = Provider(
    settings=HashingSettings, open="sourcebook_example.hashing:open_hashing"
)
