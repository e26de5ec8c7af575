"""`sourcebook ask`: an answer from the book, with the places that it stands on."""

from typing import Annotated

import typer

from sourcebook.cli.failures import fail
from sourcebook.cli.options import BookId, Config, DataDir, EmbeddingsConfig, Json
from sourcebook.core.errors import SourcebookError


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    selection: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Answer from this text alone; - reads it from standard input."
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Go on with a conversation (a UUID); new begins one."),
    ] = None,
    tier: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Your hardware tier: nothing above it is read."),
    ] = None,
    top_k: Annotated[
        int, typer.Option(min=1, max=20, help="How many chunks to consider at most.")
    ] = 5,
    book: BookId = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Answer a question from the book. Exit code 1 if the book does not, 2 if something fails."""
    # `--help` must not load the service.
    from sourcebook.cli import asking  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    asked = asking.Asked(question, selection, session, tier, top_k, book)
    try:
        settings = settings_from(
            config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
        )
        answered = asking.ask(settings, asked, as_json=as_json)
    except SourcebookError as error:
        # 1 is the book's no.
        fail(error, code=2)
    if not answered:
        raise typer.Exit(1)
