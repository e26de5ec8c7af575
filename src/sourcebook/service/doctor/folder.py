"""Checks the data folder, the disk it is on, who has it, and the port."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from sourcebook.core.errors import MIN_FREE_MIB, ConfigurationError
from sourcebook.service.config.data_folder import DataFolder, users_of
from sourcebook.service.config.settings import Settings, check_bind
from sourcebook.service.doctor.results import CheckResult, ok, problem, warning
from sourcebook.service.http.server import bind

MIB = 1024 * 1024
PROBE_TIMEOUT_S = 2.0
MAX_REPLY_BYTES = 1_000
ALIVE = {"status": "alive"}
LITTLE_SPACE_BYTES = 1024 * MIB
READ_WRITE_ENTER = os.R_OK | os.W_OK | os.X_OK
ELSEWHERE = "choose another folder with --data-dir (SOURCEBOOK_DATA_DIR)"


def check_folder(settings: Settings) -> Iterator[CheckResult]:
    """Look at the folder and its permissions."""
    root = settings.data_dir
    if not root.exists():
        yield _missing(root)
    elif not root.is_dir():
        yield problem("Data folder", f"{root} is no folder", f"Move it away, or {ELSEWHERE}")
    elif not os.access(root, READ_WRITE_ENTER):
        yield problem(
            "Data folder",
            f"{root} cannot be read and written by this user",
            f"Change its owner (`chown -R`), or {ELSEWHERE}",
        )
    elif root.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield warning(
            "Data folder",
            f"{root} is open to other users of this machine",
            f"chmod 700 {root}",
        )
    else:
        yield ok("Data folder", str(root))


def check_disk(settings: Settings) -> Iterator[CheckResult]:
    """Look at the space that is left."""
    free = shutil.disk_usage(_nearest(settings.data_dir)).free
    found = f"{free / MIB:,.0f} MiB free"
    if free < MIN_FREE_MIB * MIB:
        yield problem(
            "Disk",
            found,
            f"Nothing is written below {MIN_FREE_MIB} MiB: delete something, or {ELSEWHERE}",
        )
    elif free < LITTLE_SPACE_BYTES:
        yield warning("Disk", found, f"Make room soon, or {ELSEWHERE}")
    else:
        yield ok("Disk", found)


def check_owner(settings: Settings) -> Iterator[CheckResult]:
    """Find out which processes use the folder."""
    yield ok("In use by", ", ".join(users_of(DataFolder(settings.data_dir))) or "no process")


def check_port(settings: Settings) -> Iterator[CheckResult]:
    """Look whether a server could listen, and whether it may."""
    place = f"{settings.host}:{settings.port}"
    try:
        with closing(bind(settings.host, settings.port)):
            pass
    except ConfigurationError as error:
        if _answers(settings):
            yield ok("Port", f"{place}, where a Sourcebook service answers already")
        else:
            yield problem("Port", error.message)
        return
    try:
        check_bind(settings)
    except ConfigurationError as error:
        yield problem("Port", error.message)
        return
    yield ok("Port", f"{place} is free")


def _answers(settings: Settings) -> bool:
    """Return whether what listens there says that it is alive, as this service does."""
    connection = HTTPConnection(settings.host, settings.port, timeout=PROBE_TIMEOUT_S)
    with closing(connection), suppress(OSError, HTTPException, ValueError):
        connection.request("GET", "/livez")
        return bool(json.loads(connection.getresponse().read(MAX_REPLY_BYTES)) == ALIVE)
    return False


def _missing(root: Path) -> CheckResult:
    parent = _nearest(root)
    if os.access(parent, os.W_OK | os.X_OK):
        return ok("Data folder", f"{root} is not there yet; `sourcebook ingest` creates it")
    return problem(
        "Data folder",
        f"{root} is not there, and {parent} cannot be written by this user",
        f"Change the owner of {parent}, or {ELSEWHERE}",
    )


def _nearest(path: Path) -> Path:
    """Return the path, else the nearest folder above it that exists."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path
