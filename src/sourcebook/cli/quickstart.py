"""`sourcebook quickstart`: `up` for scripts: it opens no page and watches no folder."""

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    Llm,
    Port,
    settings_from,
)
from sourcebook.cli.up import UpOptions, serve_books


def quickstart(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    cross_encoder: CrossEncoder = None,
    cross_encoder_path: CrossEncoderPath = None,
    llm: Llm = None,
    config: Config = None,
) -> None:
    """Start with the bundled model and a sample book about robotics."""
    serve_books(
        settings_from(
            config,
            host=host,
            port=port,
            data_dir=data_dir,
            embeddings_config=embeddings_config,
            cross_encoder=cross_encoder,
            cross_encoder_path=cross_encoder_path,
            llm=llm,
        ),
        None,
        UpOptions(),
    )
