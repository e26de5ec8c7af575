"""UnloadedModel: stands for the model of an index whose vectors are all remembered."""

from collections.abc import Sequence

from sourcebook.core.collections import Generation
from sourcebook.core.documents import TokenSpans
from sourcebook.core.errors import ModelNotLoaded
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector


class UnloadedModel:
    """Knows what vectors a model gave, and raises ModelNotLoaded for every new one."""

    max_tokens = 0

    def __init__(self, generation: Generation) -> None:
        self.id = self.name = generation.model
        self.dimensions = generation.dimensions
        self.revision = generation.model_revision

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        raise self._refusal()

    async def embed_query(self, text: str) -> Vector:
        raise self._refusal()

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        raise self._refusal()

    async def check(self) -> ServiceHealth:
        return ServiceHealth("down", message="The model is not loaded")

    def _refusal(self) -> ModelNotLoaded:
        return ModelNotLoaded(
            f"The vectors of some chunks are not remembered, and embedding model {self.id!r}, which"
            " made them, is not loaded. Add it to the embeddings config, or reindex the collection"
            " with another model"
        )
