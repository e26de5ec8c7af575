"""Downloads models from the Hugging Face hub, or finds them in its cache."""

import os
from pathlib import Path

# The client reads this when it is imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

from huggingface_hub import snapshot_download
from huggingface_hub.errors import LocalEntryNotFoundError

from sourcebook.core.errors import ConfigurationError

# No pickles, no code: what a model folder needs and nothing else.
WANTED_FILES = ("*.safetensors", "*.json", "*.txt", "*.model")


def cached_model(hub_id: str) -> Path:
    """Return the folder of a model that was downloaded before; never touches the network."""
    try:
        return Path(
            snapshot_download(hub_id, local_files_only=True, allow_patterns=[*WANTED_FILES])
        )
    except (LocalEntryNotFoundError, OSError, ValueError) as error:
        raise ConfigurationError(
            f"Model {hub_id!r} is not downloaded yet (and there is no folder of that name); run"
            " `sourcebook serve --download-models --embeddings-config ...`"
        ) from error


def download_model(hub_id: str) -> Path:
    """Download a model, or what is missing of it, into the hub's cache."""
    try:
        return Path(snapshot_download(hub_id, allow_patterns=[*WANTED_FILES]))
    except Exception as error:  # the client lets errors of its HTTP library through
        raise ConfigurationError(
            f"Model {hub_id!r} could not be downloaded: {error}. Check its name and the network"
        ) from error
