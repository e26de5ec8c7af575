"""`sourcebook worker`: runs the jobs of services that share a ledger and an index."""

from typing import Annotated

import typer
from rich.text import Text

from sourcebook.cli.options import (
    Config,
    CrossEncoder,
    CrossEncoderPath,
    DataDir,
    EmbeddingsConfig,
    Host,
    settings_from,
)
from sourcebook.cli.serve import fetch_missing_models, run_service
from sourcebook.cli.terminal import err


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
    from sourcebook.service.http.worker import run_worker
    from sourcebook.service.wiring.models import model_entries

    settings = settings_from(
        config,
        host=host,
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        cross_encoder=cross_encoder,
        cross_encoder_path=cross_encoder_path,
    )
    entries = model_entries(settings)
    with err.status("Loading models …") as status:
        fetch_missing_models(settings, entries, status)

        async def announce(url: str | None) -> None:
            status.stop()
            probes = "" if url is None else f" (probes: {url}/readyz)"
            err.print(Text.assemble(("Sourcebook works", "bold"), probes))

        run_service(run_worker(settings, entries, health_port, announce))
