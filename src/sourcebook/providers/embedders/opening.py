"""Opening the embedder that an entry of the embeddings file asks for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import Embedder
from sourcebook.providers.inference.locating import LocatedModel, locate

# Where sentence-transformers looks for a name without an owner.
DEFAULT_OWNER = "sentence-transformers"
PROVIDERS = ("openvino", "sentence-transformers")


@asynccontextmanager
async def open_embedder(
    model_id: str,
    path: str,
    *,
    models_dir: Path,
    provider: str | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    download: bool = False,
) -> AsyncIterator[Embedder]:
    """Load a model for as long as the context lasts; ConfigurationError if it cannot be."""
    if provider is not None and provider not in PROVIDERS:
        raise ConfigurationError(
            f"Model {model_id!r} asks for the provider {provider!r}. Available: {list(PROVIDERS)}"
        )
    model = await asyncio.to_thread(
        locate, path, models_dir, download=download, default_owner=DEFAULT_OWNER
    )
    async with _opened(provider, model_id, model, query_prompt, document_prompt) as embedder:
        yield embedder


def _opened(
    provider: str | None,
    model_id: str,
    model: LocatedModel,
    query_prompt: str | None,
    document_prompt: str | None,
) -> AbstractAsyncContextManager[Embedder]:
    # Imported here: each pulls in an SDK that is slow to import, and one of them is optional.
    if provider == "sentence-transformers":
        from sourcebook.providers.embedders.sentence_transformers import (  # noqa: PLC0415
            open_sentence_transformers_embedder,
        )

        return open_sentence_transformers_embedder(
            model_id, model, query_prompt=query_prompt, document_prompt=document_prompt
        )
    from sourcebook.providers.embedders.openvino import open_openvino_embedder  # noqa: PLC0415

    return open_openvino_embedder(
        model_id, model, query_prompt=query_prompt, document_prompt=document_prompt
    )
