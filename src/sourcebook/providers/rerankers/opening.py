"""Opening the reranker that the configuration asks for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import Reranker
from sourcebook.providers.inference.locating import LocatedModel, locate

# Where most cross-encoders live on the hub.
DEFAULT_OWNER = "cross-encoder"
PROVIDERS = ("openvino", "sentence-transformers")


@asynccontextmanager
async def open_reranker(
    path: str, *, models_dir: Path, provider: str | None = None, download: bool = False
) -> AsyncIterator[Reranker]:
    """Load a cross-encoder for as long as the context lasts; ConfigurationError if it cannot be."""
    if provider is not None and provider not in PROVIDERS:
        raise ConfigurationError(
            f"The cross-encoder asks for the provider {provider!r}. Available: {list(PROVIDERS)}"
        )
    model = await asyncio.to_thread(
        locate, path, models_dir, download=download, default_owner=DEFAULT_OWNER
    )
    async with _opened(provider, model) as reranker:
        yield reranker


def _opened(provider: str | None, model: LocatedModel) -> AbstractAsyncContextManager[Reranker]:
    # Imported here: each pulls in an SDK that is slow to import, and one of them is optional.
    if provider == "sentence-transformers":
        from sourcebook.providers.rerankers.sentence_transformers import (  # noqa: PLC0415
            open_sentence_transformers_cross_encoder,
        )

        return open_sentence_transformers_cross_encoder(model)
    from sourcebook.providers.rerankers.openvino import (  # noqa: PLC0415
        open_openvino_cross_encoder,
    )

    return open_openvino_cross_encoder(model)
