"""Declares the sentence-transformers embedder."""

from contextlib import AbstractAsyncContextManager

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaring import Opening, Provider
from sourcebook.providers.embedders.local_settings import LocalEmbedderSettings
from sourcebook.providers.embedders.opening import open_embedder


def _open(
    settings: LocalEmbedderSettings, opening: Opening
) -> AbstractAsyncContextManager[Embedder]:
    return open_embedder(
        opening.id,
        settings.path,
        models_dir=opening.models_dir,
        provider="sentence-transformers",
        query_prompt=settings.query_prompt,
        document_prompt=settings.document_prompt,
        download=opening.download,
    )


PROVIDER = Provider(settings=LocalEmbedderSettings, open=_open)
