"""`sourcebook providers`: what is installed, which settings it takes, whether they work."""

from typing import Annotated

import typer

from sourcebook.cli.options import Json
from sourcebook.core.providers import Kind

app = typer.Typer(
    no_args_is_help=True,
    help="List vector stores, embedders, rerankers and language models, and try them out.",
)

Id = Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.", show_default=False)]
OfKind = Annotated[
    Kind | None,
    typer.Option(help="Of this kind only: one id may stand for providers of two kinds."),
]


@app.command("list")
def list_(kind: OfKind = None, as_json: Json = False) -> None:
    """Show every provider that is installed, ours and other people's."""
    from sourcebook.cli import provider_desk  # noqa: PLC0415 - `--help` must not load the service

    provider_desk.show_all(kind, as_json=as_json)


@app.command()
def schema(provider: Id, kind: OfKind = None, as_json: Json = False) -> None:
    """Show the settings of a provider."""
    from sourcebook.cli import provider_desk  # noqa: PLC0415 - `--help` must not load the service

    provider_desk.show_schema(provider, kind, as_json=as_json)


@app.command("test")
def try_out(
    provider: Id,
    kind: OfKind = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE_OR_JSON", help="The settings: a JSON or YAML file, or JSON."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="One setting; '${NAME}' is looked up in the environment, which keeps keys out"
            " of the shell's history.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Try settings out: check them and connect, within 10 s. Exit code 1 if it fails."""
    from sourcebook.cli import provider_desk  # noqa: PLC0415 - `--help` must not load the service
    from sourcebook.cli.provider_settings import read_settings  # noqa: PLC0415

    given = read_settings(config, settings or [])
    if not provider_desk.try_out(provider, kind, given, as_json=as_json):
        raise typer.Exit(1)
