"""Declares the embedded Qdrant engine as a provider."""

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Provider
from sourcebook.providers.vector_stores.qdrant_edge.settings import QdrantEdgeSettings

PROVIDER: Provider[QdrantEdgeSettings, VectorStore] = Provider(
    QdrantEdgeSettings, "sourcebook.providers.vector_stores.qdrant_edge.store:open_store"
)
