"""The doctor's checks of the data folder and the port."""

import os
import shutil
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sourcebook.service.config.data_folder import DataFolder, use_data_folder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.doctor import folder
from sourcebook.service.doctor.results import CheckResult


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        yield port


def check_folder(root: Path) -> CheckResult:
    (result,) = folder.check_folder(load_settings(data_dir=root))
    return result


def test_a_folder_that_is_not_there_yet_is_ok_and_is_not_created(tmp_path: Path) -> None:
    root = tmp_path / "new" / "data"

    assert (check_folder(root).status, root.exists()) == ("ok", False)
    (disk,) = folder.check_disk(load_settings(data_dir=root))
    assert disk.status in {"ok", "warning"}
    assert not root.parent.exists()


def test_a_folder_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert check_folder(tmp_path).status == "warning"
    tmp_path.chmod(0o700)
    assert check_folder(tmp_path).status == "ok"


def test_a_file_in_place_of_the_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "data").touch()

    assert check_folder(tmp_path / "data").status == "problem"


def test_a_folder_of_somebody_else_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever runs the tests may be root, who may read everything.
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert "chown" in (check_folder(tmp_path).advice or "")
    assert check_folder(tmp_path / "new").status == "problem"


@pytest.mark.parametrize(
    ("free_mib", "status"), [(100, "problem"), (500, "warning"), (5_000, "ok")]
)
def test_little_space_is_said_before_writes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mib: int, status: str
) -> None:
    usage = type(shutil.disk_usage(tmp_path))(1, 1, free_mib * folder.MIB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    (result,) = folder.check_disk(load_settings(data_dir=tmp_path))

    assert result.status == status


async def test_who_uses_the_folder_is_named(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    (free,) = folder.check_owner(settings)
    async with use_data_folder(DataFolder(tmp_path)):
        (taken,) = folder.check_owner(settings)

    assert (free.status, free.found) == ("ok", "no process")
    assert (taken.status, taken.found.startswith(f"process {os.getpid()}")) == ("ok", True)


def test_a_port_that_another_program_has_is_a_problem(tmp_path: Path, taken_port: int) -> None:
    (result,) = folder.check_port(load_settings(data_dir=tmp_path, port=taken_port))

    assert (result.status, str(taken_port) in result.found) == ("problem", True)
    assert "Choose another --port" in result.found


def test_the_port_of_a_running_service_is_ok(tmp_path: Path) -> None:
    class Alive(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"status": "alive"}')

    with ThreadingHTTPServer(("127.0.0.1", 0), Alive) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (result,) = folder.check_port(load_settings(data_dir=tmp_path, port=server.server_port))
        server.shutdown()

    assert (result.status, "answers already" in result.found) == ("ok", True)


def test_an_open_host_without_a_key_is_a_problem(tmp_path: Path) -> None:
    (result,) = folder.check_port(load_settings(data_dir=tmp_path, host="0.0.0.0", port=0))

    assert (result.status, "set ADMIN_API_KEY" in result.found) == ("problem", True)
