"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

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
CrossEncoder = Annotated[
    str | None,
    typer.Option(help="A reranker: Hugging Face id or folder. [env: CROSS_ENCODER_MODEL]"),
]
CrossEncoderPath = Annotated[
    Path | None,
    typer.Option(help="The reranker's folder. [env: CROSS_ENCODER_PATH]"),
]
Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; 127.0.0.1 by default. [env: SOURCEBOOK_HOST]"),
]
Port = Annotated[int | None, typer.Option(help="Port; 8000 by default. [env: SOURCEBOOK_PORT]")]
BookId = Annotated[
    str | None,
    typer.Option(help="The id of the book. [env: BOOK_ID]", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
