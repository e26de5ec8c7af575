"""`sourcebook search`: asks the book a question and shows where its answer stands."""

from typing import Annotated

import typer

from sourcebook.cli.options import BookId, Config, DataDir, EmbeddingsConfig, Json


def search(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    tier: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Your hardware tier: nothing above it is shown."),
    ] = None,
    module: Annotated[str | None, typer.Option(help="Only this module, like ros2.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many results at most.")] = 5,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Ask the book a question. Exit code 1 if nothing was found, as with grep."""
    # `--help` must not load the service.
    from sourcebook.cli import searching  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    asked = searching.Asked(question, tier, module, limit, book)
    if not searching.search(settings, asked, as_json=as_json):
        raise typer.Exit(1)
