"""The bundled model, which both sides of a comparison run."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder, open_openvino_embedder
from sourcebook.providers.inference.local_models import (
    BUNDLED,
    BUNDLED_MODEL,
    EMBEDDER,
    LocatedModel,
    locate,
)
from sourcebook.providers.inference.openvino_runtime import Precision

NOWHERE = Path("none")


def bundled_model() -> LocatedModel:
    """The folder with the weights that both sides run."""
    return locate(BUNDLED + BUNDLED_MODEL, NOWHERE, EMBEDDER)


def open_bundled_model(
    precision: Precision | None = None,
) -> AbstractAsyncContextManager[OpenVinoEmbedder]:
    """Open it as the service does."""
    settings = LocalEmbedderSettings.model_validate({"path": BUNDLED + BUNDLED_MODEL})
    return open_openvino_embedder(settings, Opening("bench", NOWHERE, NOWHERE), precision=precision)
