"""What operators copy from the documentation is right: the unit, its settings, its command."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sourcebook.cli.main import app
from sourcebook.service.config.settings import Settings
from sourcebook.service.http.metrics import Metrics

DOCS = Path(__file__).parent.parent / "docs"
SYSTEMD = (DOCS / "how-to" / "run-with-systemd.md").read_text("utf-8")
VARIABLES = {str(field.validation_alias) for field in Settings.model_fields.values()}
# Of the Hugging Face hub, not of ours.
FOREIGN = {"HF_HOME"}
COMMAND = "/opt/sourcebook/bin/sourcebook"


def unit() -> str:
    found = re.search(r"```ini\n(\[Unit\]\n.*?)```", SYSTEMD, re.DOTALL)
    assert found
    return found[1]


def service() -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(unit())
    return parser["Service"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_unit_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "sourcebook.service"
    # The command is not installed here, and only that is no mistake.
    path.write_text(unit().replace(COMMAND, shutil.which("true") or "/bin/true"))

    command = ["systemd-analyze", "verify", "--man=no", str(path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_unit_starts_a_command_that_there_is() -> None:
    command, name, *arguments = service()["ExecStart"].split()

    assert command == COMMAND
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    options = [one for one in arguments if one.startswith("--")]
    assert options
    assert [one for one in options if one not in shown.output] == []


def test_the_unit_sets_variables_that_there_are() -> None:
    given = set(re.findall(r"(?:^Environment=| )([A-Z][A-Z_]+)=", unit(), re.MULTILINE))
    (settings,) = re.findall(r"`/etc/sourcebook/sourcebook.env`.*?```bash\n(.*?)```", SYSTEMD, re.S)
    given |= set(re.findall(r"^([A-Z_]+)=", settings, re.MULTILINE))

    assert {"SOURCEBOOK_DATA_DIR", "ADMIN_API_KEY"} <= given
    assert given - VARIABLES - FOREIGN == set()


def test_the_unit_forbids_nothing_that_openvino_does() -> None:
    assert not {"MemoryDenyWriteExecute", "ProcSubset"} & service().keys()


def test_every_metric_is_documented() -> None:
    page = (DOCS / "metrics.md").read_text("utf-8")
    names = re.findall(r'"(sourcebook_[a-z_]+)"', Path(_source_of_metrics()).read_text("utf-8"))

    assert len(names) >= 8
    assert [name for name in names if name not in page] == []


def _source_of_metrics() -> str:
    code = Metrics.__init__.__code__
    return code.co_filename
