"""`sourcebook worker`: does the jobs of services that share a ledger and an index."""

from typing import Annotated

import typer

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
)


def worker(
    host: Host = None,
    health_port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Answer /livez, /readyz, /health and /metrics on this port."
        ),
    ] = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    config: Config = None,
) -> None:
    """Work off jobs for services that share a ledger and an index; serve nothing."""
    # `--help` must not load the service.
    from sourcebook.cli import working  # noqa: PLC0415
    from sourcebook.cli.configuring import settings_from  # noqa: PLC0415

    settings = settings_from(
        config,
        host=host,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
    )
    working.work(settings, health_port)
