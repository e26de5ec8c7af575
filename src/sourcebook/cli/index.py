"""`sourcebook verify` and `sourcebook rebuild`: look after the index while nothing serves it."""

from typing import Annotated

import typer

from sourcebook.cli.options import Config, DataDir


def verify(
    data_dir: DataDir = None,
    config: Config = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend the index first, without embedding anything.")
    ] = False,
) -> None:
    """Compare the index with the ledger; exit code 1 if anything differs."""
    from sourcebook.cli import keeping  # noqa: PLC0415 - `--help` must not load the service

    if not keeping.verify(config, data_dir, repair=repair):
        raise typer.Exit(1)


def rebuild(data_dir: DataDir = None, config: Config = None) -> None:
    """Build every index anew from the ledger, without embedding anything."""
    from sourcebook.cli import keeping  # noqa: PLC0415 - `--help` must not load the service

    if not keeping.rebuild(config, data_dir):
        raise typer.Exit(1)
