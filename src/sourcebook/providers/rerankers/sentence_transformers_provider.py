"""Declares the sentence-transformers cross-encoder."""

from contextlib import AbstractAsyncContextManager

from sourcebook.core.ports import Reranker
from sourcebook.providers.declaring import Opening, Provider
from sourcebook.providers.rerankers.local_settings import LocalRerankerSettings
from sourcebook.providers.rerankers.opening import open_reranker


def _open(
    settings: LocalRerankerSettings, opening: Opening
) -> AbstractAsyncContextManager[Reranker]:
    return open_reranker(
        settings.path,
        models_dir=opening.models_dir,
        provider="sentence-transformers",
        download=opening.download,
    )


PROVIDER = Provider(settings=LocalRerankerSettings, open=_open)
