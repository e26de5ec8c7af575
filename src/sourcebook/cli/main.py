"""`sourcebook`: the commands, and the exit code of one that fails.

Every command is one file. It imports the service, the clients and asyncio inside its functions:
`--help` reads all of these files and must not wait for what only a running command needs.
"""

import os
from typing import Annotated

import typer

from sourcebook.cli.ask import ask
from sourcebook.cli.backup import backup, restore
from sourcebook.cli.books import app as books
from sourcebook.cli.doctor import doctor
from sourcebook.cli.eval import app as evaluation
from sourcebook.cli.export import export
from sourcebook.cli.import_documents import import_documents
from sourcebook.cli.ingest import ingest
from sourcebook.cli.mcp import mcp
from sourcebook.cli.models import app as models
from sourcebook.cli.providers import app as providers
from sourcebook.cli.quickstart import quickstart
from sourcebook.cli.reindex import reindex
from sourcebook.cli.search import search
from sourcebook.cli.serve import serve
from sourcebook.cli.terminal import fail
from sourcebook.cli.up import up
from sourcebook.cli.verify import rebuild, verify
from sourcebook.cli.worker import worker
from sourcebook.core.errors import SourcebookError

app = typer.Typer(
    name="sourcebook",
    help="Answers questions from your documents and shows the exact place each answer comes from."
    " Without a command it does what `up` does.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(up)
app.command()(quickstart)
app.command()(serve)
app.command()(worker)
app.command()(ingest)
app.command()(ask)
app.command()(search)
app.command()(mcp)
app.add_typer(evaluation, name="eval")
app.command()(verify)
app.command()(rebuild)
app.command()(reindex)
app.command()(backup)
app.command()(restore)
app.command()(export)
app.command("import")(import_documents)
app.add_typer(books, name="books")
app.command()(doctor)
app.add_typer(models, name="models")
app.add_typer(providers, name="providers")


def main() -> None:
    """Run the command line; a SourcebookError becomes one message and the exit code FAILED."""
    # Before NumPy is imported: a search is compared on one thread. With several, they wait for each
    # other and for those of the model: 4.9 ms of a core for each of fifty searches instead of 3.1.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except SourcebookError as error:
        fail(error)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from sourcebook.core.version import installed_version

        typer.echo(installed_version())
        raise typer.Exit
    if context.invoked_subcommand is None:
        up()
