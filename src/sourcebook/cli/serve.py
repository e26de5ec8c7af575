"""`sourcebook serve`: the service, with the models that a file lists."""

from typing import Annotated

import typer

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    Port,
)
from sourcebook.core.errors import ConfigurationError

RERANKERS = (
    ("cross-encoder/ms-marco-MiniLM-L-6-v2", "90 MB", "fast: about 100 ms for 10 documents"),
    ("BAAI/bge-reranker-base", "300 MB", "recommended: about 200 ms for 10 documents"),
    ("BAAI/bge-reranker-large", "1.3 GB", "most precise: about 500 ms for 10 documents"),
)


def serve(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    config: Config = None,
    download_models: Annotated[
        bool, typer.Option("--download-models", help="Fetch and check the models, then exit.")
    ] = False,
    list_reranker_models: Annotated[
        bool, typer.Option("--list-reranker-models", help="Show known rerankers, then exit.")
    ] = False,
    work: Annotated[
        bool | None,
        typer.Option(
            "--work/--no-work", help="Whether to work off jobs as well. [env: SOURCEBOOK_WORK]"
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Must be 1: a process is one service.")] = 1,
) -> None:
    """Start the service with the models of an embeddings config."""
    if list_reranker_models:
        for name, size, note in RERANKERS:
            typer.echo(f"{name:38} {size:>7}  {note}")
        return
    if workers != 1:
        raise ConfigurationError(
            f"--workers {workers} is not possible with the embedded store, which belongs to one"
            " process. Leave --workers at 1: the heavy work runs in threads anyway. On Postgres and"
            " a vector store that is a server, start `sourcebook serve` several times, each with a"
            " --data-dir of its own"
        )
    # `--help` must not load the service.
    from sourcebook.cli import running  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    settings = settings_from(
        config,
        host=host,
        port=port,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
        work=work,
    )
    if download_models:
        running.download_models(settings)
    else:
        running.serve(settings)
