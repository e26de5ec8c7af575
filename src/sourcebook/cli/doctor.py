"""`sourcebook doctor`: checks the machine, the installation and the data, and says what to do."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.exit_codes import DONE, NO
from sourcebook.cli.options import (
    Config,
    DataDir,
    EmbeddingsConfig,
    Host,
    Json,
    Port,
    settings_from,
)
from sourcebook.cli.terminal import counted, err, out, strip_controls

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.doctor.results import CheckResult

COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}
STATUS_WIDTH = 9
NAME_WIDTH = 14


def doctor(
    online: Annotated[
        bool, typer.Option("--online", help="Connect to the remote services as well.")
    ] = False,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Check this installation, and say what to do. Exit code 1 if there is a problem."""
    from sourcebook.service.doctor.checks import examine
    from sourcebook.service.doctor.results import worst

    def load() -> "Settings":
        return settings_from(
            config,
            log_level="critical",
            host=host,
            port=port,
            data_dir=data_dir,
            embeddings_config=embeddings_config,
        )

    results: list[CheckResult] = []
    with err.status("Checking …"):
        for result in examine(load, online=online):
            results.append(result)
            if not as_json:
                _show(result)
    status = worst(results)
    if as_json:
        checks = [asdict(result) for result in results]
        print(json.dumps({"status": status, "checks": checks}, ensure_ascii=False))
    else:
        out.print(f"\n{summary(results)}")
    raise typer.Exit(NO if status == "problem" else DONE)


def summary(results: "list[CheckResult]") -> str:
    """Count the problems and the warnings."""
    problems, warnings = (
        sum(result.status == status for result in results) for status in ("problem", "warning")
    )
    if not problems and not warnings:
        return "All is well."
    return f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}."


def _show(result: "CheckResult") -> None:
    colour = COLOURS[result.status]
    name = f"{strip_controls(result.name):<{NAME_WIDTH}}  "
    out.print(
        Text.assemble(
            (f"{result.status:<{STATUS_WIDTH}}", colour), name, strip_controls(result.found)
        )
    )
    if result.advice is not None:
        indent = " " * (STATUS_WIDTH + NAME_WIDTH + 2)
        out.print(Text(f"{indent}→ {strip_controls(result.advice)}", style=colour))
