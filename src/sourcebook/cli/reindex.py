"""`sourcebook reindex`: gives a collection another embedding model."""

from typing import Annotated

import typer

from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, Json


def reindex(
    name: Annotated[str, typer.Argument(help="The collection.")],
    model: Annotated[
        str | None,
        typer.Option(help="The id of the model; without it, the one its metadata ask for."),
    ] = None,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the model before the last change.")
    ] = False,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Change the model of a collection, which goes on answering. Exit code 0 if that is done."""
    # `--help` must not load the service.
    from sourcebook.cli import reindexing  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    wish = reindexing.Wish(name, model, rollback, as_json)
    raise typer.Exit(reindexing.reindex(settings, wish))
