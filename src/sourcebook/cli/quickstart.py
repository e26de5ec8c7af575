"""`sourcebook quickstart`: a running service with a small book in it, in one command."""

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    Port,
)


def quickstart(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    config: Config = None,
) -> None:
    """Start with the bundled model and a sample book about robotics."""
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
    )
    running.quickstart(settings)
