"""The options that several commands share, and the settings that they make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings

DataDir = Annotated[
    Path | None,
    typer.Option(help="Where everything is kept. [env: SOURCEBOOK_DATA_DIR]"),
]
Config = Annotated[
    Path | None,
    typer.Option(envvar="SOURCEBOOK_CONFIG", help="A YAML file with settings."),
]
EmbeddingsConfig = Annotated[
    Path | None,
    typer.Option(help="Which embedding models to load. [env: EMBEDDINGS_CONFIG]"),
]
Llm = Annotated[
    str | None,
    typer.Option(
        metavar="PROVIDER[:MODEL]",
        help="The language model that writes answers, such as gemini or ollama:llama3.2; none for"
        " quotes. [env: SOURCEBOOK_LLM]",
    ),
]
CrossEncoder = Annotated[
    str | None,
    typer.Option(help="A reranker: Hugging Face id or folder. [env: CROSS_ENCODER_MODEL]"),
]
CrossEncoderPath = Annotated[
    Path | None,
    typer.Option(help="The reranker's folder. [env: CROSS_ENCODER_PATH]"),
]
Offline = Annotated[
    bool | None,
    typer.Option(
        "--offline",
        help="Download no models: a missing one is an error. [env: SOURCEBOOK_OFFLINE]",
    ),
]
Local = Annotated[
    bool | None,
    typer.Option(
        "--local",
        help="Refuse every model, index and database on another machine. [env: SOURCEBOOK_LOCAL]",
    ),
]
Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; 127.0.0.1 by default. [env: SOURCEBOOK_HOST]"),
]
Port = Annotated[int | None, typer.Option(help="Port; 8000 by default. [env: SOURCEBOOK_PORT]")]
RootPath = Annotated[
    str | None,
    typer.Option(
        help="The path prefix under which a proxy publishes the service, such as /sourcebook."
        " [env: SOURCEBOOK_ROOT_PATH]"
    ),
]
BookId = Annotated[
    str | None,
    typer.Option(help="The id of the book. [env: BOOK_ID]", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def settings_from(
    config: Path | None,
    *,
    log_level: str | None = None,
    default_log_level: str | None = None,
    **flags: object,
) -> "Settings":
    """Load the settings and set up logging.

    `log_level` overrides the configured level; `default_log_level` counts if none is configured.
    """
    from sourcebook.service.config.settings import load_settings
    from sourcebook.service.logging import set_up_logging

    settings = load_settings(config, **flags)
    is_told = "log_level" in settings.model_fields_set
    told = settings.log_level if is_told or default_log_level is None else default_log_level
    set_up_logging(log_level or told, settings.log_format)
    return settings
