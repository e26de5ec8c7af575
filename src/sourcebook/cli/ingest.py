"""`sourcebook ingest`: makes the index of a book what its files are."""

from pathlib import Path
from typing import Annotated

import typer

from sourcebook.cli.options import BookId, Config, DataDir, EmbeddingsConfig, Json
from sourcebook.core.jobs import Mode


def ingest(
    docs: Annotated[
        Path | None, typer.Argument(help="The book's folder. [env: DOCS_PATH]", show_default=False)
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="incremental does what changed, full everything again; recreate builds a new"
            " index beside the one in use."
        ),
    ] = "incremental",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on even if many lessons would be deleted.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and index again whenever a file is saved.")
    ] = False,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Index a book. Exit code 0 if all went well, 2 if a part of it, 1 if nothing did."""
    # `--help` must not load the service.
    from sourcebook.cli import ingesting  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    wish = ingesting.Wish(docs, book, mode, force, dry_run, watch, as_json)
    raise typer.Exit(ingesting.ingest(settings, wish))
