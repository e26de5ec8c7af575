"""Declares the reranker that uses Cohere."""

from pydantic import Field

from sourcebook.core.ports import Reranker
from sourcebook.providers.declaration import Provider
from sourcebook.providers.embedders.cohere_provider import CohereSettings, probe_cohere
from sourcebook.providers.embedders.remote.settings import ModelName


class CohereRerankerSettings(CohereSettings):
    """How to reach Cohere."""

    path: ModelName = "rerank-v3.5"
    max_tokens: int = Field(
        4_096, ge=64, le=1_000_000, description="How many tokens the model reads at once"
    )
    timeout_s: float = Field(
        3.0, gt=0, le=60, title="Timeout", description="Seconds for all texts of a search"
    )


PROVIDER: Provider[CohereRerankerSettings, Reranker] = Provider(
    CohereRerankerSettings,
    "sourcebook.providers.rerankers.cohere:open_cohere_reranker",
    probe_cohere,
)
