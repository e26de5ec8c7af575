"""A terminal in a fresh folder, which runs the commands of a page one after another."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND_TIMEOUT_S = 300
START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
PORT = "8000"
BASH, GIT = (shutil.which(name) or name for name in ("bash", "git"))

_SERVER = re.compile(r"\bsourcebook +(serve|quickstart|worker)\b|\bmake +demo\b|--watch\b|&\s*$")
# With these, the command does something else and ends.
_ENDS = re.compile(r"--help|--download-models|--list-reranker-models")
_READY = re.compile(r"is ready at|Sourcebook works|Watching .* for changes")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


class Terminal:
    """Runs commands in one folder; variables that one exports are there for the next."""

    def __init__(self, folder: Path, work: Path) -> None:
        self.folder = folder
        self._work = work
        self._port = _free_port()
        self._state = work / "exported"
        self._state.touch()
        # Otherwise curl is content with any reply.
        (work / "home" / ".curlrc").write_text("fail-with-body\n")
        self._server: subprocess.Popen[bytes] | None = None
        self._log = work / "server.log"
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(work / "home"),
            "LANG": "C.UTF-8",
            "COLUMNS": "200",
            "SOURCEBOOK_PORT": str(self._port),
            # What the documentation runs here needs no model that is not here.
            "HF_HUB_OFFLINE": "1",
        }

    def run(self, command: str) -> Ran:
        """Run a command to its end; a server is started, and stays until another one is."""
        if _SERVER.search(command) and not _ENDS.search(command):
            return self._serve(command.rstrip(" &"))
        script = f". {self._state}\n{self._local(command)}\ncode=$?\nexport -p > {self._state}\n"
        return self._finish([BASH, "-c", f"{script}exit $code"])

    def run_python(self, program: str) -> Ran:
        """Run a program."""
        return self._finish([sys.executable, "-c", self._local(program)])

    def close(self) -> None:
        """End the server, as Ctrl+C would."""
        if self._server is None:
            return
        for number in (signal.SIGINT, signal.SIGKILL):
            if self._server.poll() is None:
                os.killpg(self._server.pid, number)
                try:
                    self._server.wait(STOP_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    continue
        self._server = None

    def _finish(self, command: list[str]) -> Ran:
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self._environment,
                capture_output=True,
                text=True,
                timeout=COMMAND_TIMEOUT_S,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(124, "", f"It did not end within {COMMAND_TIMEOUT_S} s")
        return Ran(done.returncode, self._shown(done.stdout), self._shown(done.stderr))

    def _serve(self, command: str) -> Ran:
        self.close()
        with self._log.open("wb") as log:
            self._server = subprocess.Popen(
                [BASH, "-c", f". {self._state}\n{self._local(command)}"],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end_s = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < end_s and self._server.poll() is None:
            said = self._log.read_text("utf-8", "replace")
            if _READY.search(said) and ("Watching" in said or self._answers()):
                return Ran(0, "", self._shown(said))
            time.sleep(0.2)
        said = self._log.read_text("utf-8", "replace")
        return Ran(self._server.poll() or 124, "", self._shown(said))

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def _local(self, command: str) -> str:
        """Use this terminal's port where the page has the usual one."""
        return re.sub(rf"(localhost|127\.0\.0\.1):{PORT}\b", rf"\1:{self._port}", command)

    def _shown(self, text: str) -> str:
        text = text.replace(str(self.folder), "…").replace(str(self._work), "…")
        return text.replace(f":{self._port}", f":{PORT}")


@contextmanager
def open_terminal(page: Path) -> Iterator[Terminal]:
    """Open a terminal where the page's reader is: in a clone, or beside a book in `docs`."""
    with tempfile.TemporaryDirectory(prefix="sourcebook-docs-") as name:
        work = Path(name)
        folder = work / "reader"
        (work / "home").mkdir()
        if page.parent == ROOT:
            _clone(folder)
        else:
            shutil.copytree(str(files("sourcebook.samples") / "book"), folder / "docs")
        terminal = Terminal(folder, work)
        try:
            yield terminal
        finally:
            terminal.close()


def _clone(folder: Path) -> None:
    """Copy what git would clone, with an environment that `make setup` finds up to date."""
    listed = subprocess.run(
        [GIT, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    environment = Path(sys.prefix)
    (folder / ".venv").mkdir()
    for path in environment.iterdir():
        if path.name != ".installed":
            (folder / ".venv" / path.name).symlink_to(path)
    (folder / ".venv" / ".installed").touch()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
