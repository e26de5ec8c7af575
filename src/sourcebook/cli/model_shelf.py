"""What `sourcebook models` does. Imports the service, so it loads it only when it runs."""

import asyncio
import json
import time
from pathlib import Path

import httpx2
from rich.console import Console
from rich.table import Table

from sourcebook.cli.configuring import settings_from
from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.providers.inference.installing import install_bundled_model
from sourcebook.providers.inference.locating import BUNDLED_MODEL, locate
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.models import entries_or_bundled, open_model
from sourcebook.service.models_file import ModelEntry
from sourcebook.service.settings import Settings

HEALTH_TIMEOUT_S = 3.0
# Providers that load a model from a disk.
LOCAL = (None, "openvino", "sentence-transformers")
SENTENCE = "A node is one process of a ROS 2 system."

console = Console(highlight=False, soft_wrap=True)


def install(config: Path | None, **flags: object) -> None:
    """Fetch the bundled model into the data folder."""
    folder = DataFolder(settings_from(config, log_level="warning", **flags).data_dir)
    with console.status(f"Fetching {BUNDLED_MODEL} (about 90 MB) …"):
        fetched = install_bundled_model(folder.models)
    word = "installed" if fetched else "is installed already"
    console.print(f"{BUNDLED_MODEL} {word} and its hash is right.")


def show(config: Path | None, **flags: object) -> None:
    """Print a table of the models."""
    settings = settings_from(config, log_level="warning", **flags)
    folder = DataFolder(settings.data_dir)
    loaded = _loaded_by_server(folder)
    table = Table("id", "path", "on disk", "loaded now", box=None)
    for entry in entries_or_bundled(settings):
        on_disk = _on_disk(entry, folder)
        now = f"yes, {loaded[entry.id]} dimensions" if entry.id in loaded else "no"
        table.add_row(entry.id, entry.path, on_disk, now)
    console.print(table)


def check(config: Path | None, **flags: object) -> None:
    """Load each model and use it once."""
    settings = settings_from(config, log_level="warning", **flags)
    for entry in entries_or_bundled(settings):
        asyncio.run(_check(settings, entry))


async def _check(settings: Settings, entry: ModelEntry) -> None:
    started_s = time.perf_counter()
    with console.status(f"Loading {entry.id} …"):
        async with open_model(settings, entry, DataFolder(settings.data_dir)) as embedder:
            await embedder.embed_query(SENTENCE)
            health = await embedder.check()
    seconds = time.perf_counter() - started_s
    console.print(
        f"{entry.id}: {embedder.name}, {embedder.dimensions} dimensions,"
        f" reads {embedder.max_tokens} tokens at once, revision {embedder.revision};"
        f" {health.message or health.status}; loaded and used in {seconds:.1f} s"
    )


def _on_disk(entry: ModelEntry, folder: DataFolder) -> str:
    try:
        if entry.provider not in LOCAL:
            return "at its provider"
        locate(entry.path, folder.models, default_owner="sentence-transformers")
    except SourcebookError:
        return "no"
    return "yes"


def _loaded_by_server(folder: DataFolder) -> dict[str, int]:
    """The models that a server on this folder has loaded, with their dimensions."""
    try:
        url = json.loads(folder.owner.read_text("utf-8"))["url"]
    except (OSError, ValueError, KeyError):
        return {}
    if url is None:
        return {}
    try:
        health = httpx2.get(f"{url}/health", timeout=HEALTH_TIMEOUT_S).json()
    except (httpx2.HTTPError, ValueError):
        raise ConfigurationError(f"The server at {url} does not answer") from None
    return {model["id"]: model["dimensions"] for model in health.get("embedding_models", [])}
