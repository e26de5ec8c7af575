"""`sourcebook models`: fetch the bundled model, see and check what there is."""

import typer

from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig

app = typer.Typer(no_args_is_help=True, help="Fetch, list and check embedding models.")


@app.command()
def install(data_dir: DataDir = None, config: Config = None) -> None:
    """Fetch the bundled model all-MiniLM-L6-v2 and check its hash."""
    from sourcebook.cli import model_shelf  # noqa: PLC0415 - `--help` must not load the service

    model_shelf.install(config, data_dir=data_dir)


@app.command("list")
def list_(
    data_dir: DataDir = None, embeddings_config: EmbeddingsConfig = None, config: Config = None
) -> None:
    """Show the configured models, where they are, and what a running server has loaded."""
    from sourcebook.cli import model_shelf  # noqa: PLC0415 - `--help` must not load the service

    model_shelf.show(config, data_dir=data_dir, embeddings_config=embeddings_config)


@app.command()
def check(
    data_dir: DataDir = None, embeddings_config: EmbeddingsConfig = None, config: Config = None
) -> None:
    """Load every configured model once and embed a sentence with it."""
    from sourcebook.cli import model_shelf  # noqa: PLC0415 - `--help` must not load the service

    model_shelf.check(config, data_dir=data_dir, embeddings_config=embeddings_config)
