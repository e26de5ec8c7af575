"""`sourcebook serve`: runs the service with the models that are configured."""

import sys
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    Llm,
    Local,
    Offline,
    Port,
    RootPath,
    settings_from,
)
from sourcebook.cli.terminal import err, strip_controls
from sourcebook.core.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.status import Status

    from sourcebook.search.catalog import Catalog
    from sourcebook.service.config.models_file import ModelEntry
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.http.server import Ready

RERANKERS = (
    ("cross-encoder/ms-marco-MiniLM-L-6-v2", "90 MB", "fast: about 100 ms for 10 documents"),
    ("BAAI/bge-reranker-base", "300 MB", "recommended: about 200 ms for 10 documents"),
    ("BAAI/bge-reranker-large", "1.3 GB", "most precise: about 500 ms for 10 documents"),
)


def serve(
    host: Host = None,
    port: Port = None,
    root_path: RootPath = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    llm: Llm = None,
    local: Local = None,
    config: Config = None,
    download_models: Annotated[
        bool, typer.Option("--download-models", help="Fetch and check the models, then exit.")
    ] = False,
    offline: Offline = None,
    list_reranker_models: Annotated[
        bool, typer.Option("--list-reranker-models", help="Show known rerankers, then exit.")
    ] = False,
    work: Annotated[
        bool | None,
        typer.Option(
            "--work/--no-work", help="Whether to work off jobs as well. [env: SOURCEBOOK_WORK]"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many processes serve together on the port. [env: SOURCEBOOK_WORKERS]"
        ),
    ] = None,
    chroma_path: Annotated[
        Path | None,
        typer.Option(help="Another tool's Chroma folder: say what of it is not imported yet."),
    ] = None,
) -> None:
    """Start the service with the models of an embeddings config, else the bundled one."""
    if list_reranker_models:
        for name, size, note in RERANKERS:
            typer.echo(f"{name:38} {size:>7}  {note}")
        return
    settings = settings_from(
        config,
        host=host,
        port=port,
        root_path=root_path,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
        llm=llm,
        local=local,
        work=work,
        workers=workers,
        offline=offline,
    )
    if download_models:
        _download_models(settings)
    else:
        _serve(settings, chroma_path)


def run_service(service: Coroutine[None, None, None]) -> None:
    """Run a service until it ends, on the fast event loop."""
    import asyncio

    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(service)


def show_new_key(ready: "Ready") -> None:
    """Print the admin key, if this start made one."""
    if ready.new_key is not None:
        _show_key_file(ready.new_key)


def _show_key_file(file: Path) -> None:
    err.print(f"  Admin key, made now {file}")


def show_roles(ready: "Ready") -> None:
    """Print what plays each role, and where it runs."""
    from sourcebook.service.wiring.roles import describe_roles

    use = ready.use_cases
    shown = describe_roles(ready.settings, ready.entries, use.models, use.reranker, judge=use.judge)
    for role, what in shown.items():
        err.print(f"  {role:<20}{what}")


async def show_asked_book(ready: "Ready") -> None:
    """Say which book visitors ask, if there are others that they do not."""
    books = ready.use_cases.default_books
    asked = await books.ids()
    if set(await books.ids_for(None)) - set(asked):
        err.print(
            f"  Questions that name no book go to {asked[0]} alone: BOOK_ID names another one,"
            " SOURCEBOOK_LIST_BOOKS=true asks all"
        )


def show_leaving_text(ready: "Ready", given: "Settings") -> None:
    """Print which text leaves this machine, and which of the given keys are not used."""
    from sourcebook.service.wiring.roles import describe_leaving_text, roles, unused_variables

    err.print(f"  {describe_leaving_text(roles(ready.settings, ready.entries))}")
    for hint in unused_variables(given, ready.settings, ready.entries):
        err.print(f"  {hint}")


async def show_not_imported(folder: Path | None, catalog: "Catalog") -> None:
    """Say which collections of another tool's Chroma folder are not here, and how they get here."""
    if folder is None:
        return
    from sourcebook.providers.vector_stores.chroma.folder_names import collections_in_folder

    found = collections_in_folder(folder)
    if found is None:
        err.print(f"  There is no Chroma database in {folder}, so nothing of it is to be imported")
        return
    here = {collection.name for collection in await catalog.all()}
    missing = [name for name in found if name not in here]
    if missing:
        err.print(
            f"  Not imported from {folder} yet: {strip_controls(', '.join(missing))}. Stop this"
            f" service and run `sourcebook import chroma {folder}`"
        )


def fetch_missing_models(
    settings: "Settings",
    entries: "Sequence[ModelEntry]",
    status: "Status",
    *,
    newest: bool = False,
) -> None:
    """Download the models that are missing, and show how far it is."""
    import asyncio

    from sourcebook.service.wiring.models import fetch_models

    loading = status.status
    try:
        asyncio.run(fetch_models(settings, entries, status.update, newest=newest))
    except KeyboardInterrupt:
        raise ConfigurationError(
            "The download was interrupted. Complete files are kept: the next start downloads"
            " the rest"
        ) from None
    status.update(loading)


def _serve(settings: "Settings", chroma_path: Path | None = None) -> None:
    from sourcebook.service.http.server import run_server
    from sourcebook.service.http.workers import this_worker
    from sourcebook.service.wiring.models import bundled_entries, model_entries
    from sourcebook.service.wiring.roles import check_local, roles

    worker, entries = this_worker(), model_entries(settings)
    # All of them at once, before anything is downloaded.
    check_local(settings, roles(settings, entries))
    with err.status("Loading models …") as status:
        fetch_missing_models(settings, entries, status)
        if settings.workers > 1 and worker is None:
            status.stop()
            raise typer.Exit(_run_workers(settings))

        async def announce(ready: "Ready") -> None:
            status.stop()
            if worker is not None and not worker.is_first:
                return
            title = (f"Sourcebook is ready at {ready.url}", "bold")
            err.print(Text.assemble(title, f" (API documentation: {ready.url}/docs)"))
            if settings.embeddings_config is None and entries == bundled_entries():
                err.print("  No model is configured: --embeddings-config FILE names another one")
            show_roles(ready)
            await show_asked_book(ready)
            show_leaving_text(ready, settings)
            show_new_key(ready)
            await show_not_imported(chroma_path, ready.use_cases.catalog)

        run_service(run_server(settings, entries, announce, worker))


def _run_workers(settings: "Settings") -> int:
    """Serve with several processes of this command, which find what can be checked once checked."""
    from sourcebook.service.config.admin_key import keep_admin_key
    from sourcebook.service.config.data_folder import make_data_folder
    from sourcebook.service.http.server import checked_listener
    from sourcebook.service.http.workers import run_workers, shared_listeners

    first = checked_listener(settings)
    key = keep_admin_key(settings, make_data_folder(settings.data_dir))
    if key.made_in is not None:
        _show_key_file(key.made_in)
    listeners = shared_listeners(first, settings.workers)
    return run_workers([sys.executable, "-m", "sourcebook", *sys.argv[1:]], listeners)


def _download_models(settings: "Settings") -> None:
    """Download every configured model and load it once."""
    import asyncio

    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import model_entries, open_model, open_reranker

    if settings.offline:
        raise ConfigurationError("--download-models cannot work with --offline: leave one out")
    entries = model_entries(settings)
    folder = DataFolder(settings.data_dir)
    with err.status("Downloading models …") as status:
        fetch_missing_models(settings, entries, status, newest=True)

    async def load_all() -> None:
        for entry in entries:
            with err.status(f"Loading {entry.id} ({entry.path}) …"):
                async with open_model(settings, entry, folder, download=True) as embedder:
                    dimensions = embedder.dimensions
            err.print(f"Embedding model {entry.id!r} is ready: {dimensions} dimensions")
        async with AsyncExitStack() as stack:
            reranker = await open_reranker(settings, folder, stack, download=True)
            if reranker is not None:
                err.print(f"Cross-encoder {reranker.name!r} is ready")

    asyncio.run(load_all())
