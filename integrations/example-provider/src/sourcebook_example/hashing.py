"""An embedder without a model: every word is a dimension, chosen by its hash."""

import hashlib
import math
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from sourcebook.core.documents import TokenSpans
from sourcebook.core.health import ServiceHealth
from sourcebook.core.vectors import Embedding, Vector
from sourcebook.providers.declaration import Opening
from sourcebook_example.hashing_provider import HashingSettings

WORD = re.compile(r"\w+|[^\w\s]")


class HashingEmbedder:
    """Texts that share words are similar. A long text gets a vector for each 512 words."""

    max_tokens = 512

    def __init__(self, id: str, name: str, dimensions: int) -> None:
        self.id = id
        self.name = name
        self.dimensions = dimensions
        # It must change whenever the same text would get another vector.
        self.revision = f"example-hashing-1-{dimensions}"

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        """Return one or more vectors for each text, in order."""
        return [self._embedding(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """Return one vector, however long the query is."""
        return self._vector(WORD.findall(text.lower()))

    async def tokenize(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Return where the words of each text begin and end."""
        return [[found.span() for found in WORD.finditer(text)] for text in texts]

    async def check(self) -> ServiceHealth:
        """Always up: there is nothing that could be down."""
        return ServiceHealth("up")

    def _embedding(self, text: str) -> Embedding:
        words = WORD.findall(text.lower())
        starts = range(0, max(len(words), 1), self.max_tokens)
        return tuple(self._vector(words[start : start + self.max_tokens]) for start in starts)

    def _vector(self, words: Sequence[str]) -> Vector:
        vector = [0.0] * self.dimensions
        # A text without words still needs a vector that is not zero.
        for word in words or [""]:
            digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0
        length = math.hypot(*vector)
        return [value / length for value in vector]


@asynccontextmanager
async def open_hashing(
    settings: HashingSettings, opening: Opening
) -> AsyncIterator[HashingEmbedder]:
    """Open the embedder while the context lasts."""
    yield HashingEmbedder(opening.id, settings.path, settings.dimensions)
