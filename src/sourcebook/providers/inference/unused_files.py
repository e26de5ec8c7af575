"""Removes the parts of installed packages that nothing here uses, if somebody asks for it.

pip cannot leave them out. Its records stay as they are, so that it upgrades and uninstalls these
packages as before: it passes over files that are gone.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from sourcebook.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class UnusedFiles:
    """Files of a package, by patterns of their paths; `*` also stands for slashes."""

    package: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """How many bytes of a package were removed."""

    package: str
    version: str
    size: int


UNUSED = (
    # Models run on the CPU, and their graphs are built in code.
    UnusedFiles(
        "openvino",
        (
            *("openvino/libs/*_gpu_plugin*", "openvino/libs/*_npu_plugin*"),
            *("openvino/libs/cache.json", "openvino/libs/*_batch_plugin*"),
            *("openvino/libs/*_auto_plugin*", "openvino/libs/*_hetero_plugin*"),
            *(f"openvino/libs/*_{name}_frontend*" for name in ("gguf", "jax", "onnx", "paddle")),
            *(f"openvino/libs/*_{name}_frontend*" for name in ("pytorch", "tensorflow*")),
            *(f"openvino/frontend/{name}/*" for name in ("jax", "onnx", "paddle")),
            *(f"openvino/frontend/{name}/*" for name in ("pytorch", "tensorflow")),
            *("openvino/include/*", "openvino/cmake/*", "openvino/torch/*"),
        ),
    ),
    UnusedFiles("numpy", ("numpy/*tests/*",)),
    # It would report to OpenVINO's makers; it is never imported here.
    UnusedFiles("openvino-telemetry", ("*",)),
)


def remove_unused_files(
    works: Callable[[], bool], unused: Sequence[UnusedFiles] = UNUSED
) -> list[RemovedFiles]:
    """Remove the files, unless Sourcebook does not work without them: then all are put back."""
    found = [(one, files) for one in unused if (files := list(_files(one)))]
    if not found:
        return []
    parent = _common_folder(file for _, files in found for file in files)
    with tempfile.TemporaryDirectory(prefix="sourcebook-", dir=parent) as aside:
        moved: list[tuple[Path, Path]] = []
        try:
            removed = [_move(one, files, Path(aside), moved) for one, files in found]
            is_fine = works()
        except BaseException:
            _put_back(moved)
            raise
        if not is_fine:
            _put_back(moved)
            raise ConfigurationError(
                "Models could not be run without the unused files, so nothing was removed. This"
                " version of OpenVINO needs more than is known"
            )
    for folder in {place.parent for place, _ in moved}:
        _remove_empty(folder, parent)
    return removed


def check_own_environment() -> None:
    """Refuse to change an environment that other programs may use."""
    if sys.prefix == sys.base_prefix:
        raise ConfigurationError(
            f"{sys.executable} is not in a virtual environment, so other programs may use its"
            " packages, and nothing was removed. Install Sourcebook in one: python3 -m venv .venv"
        )


def _files(unused: UnusedFiles) -> Iterator[Path]:
    package = _distribution(unused.package)
    for file in (package.files if package is not None else None) or ():
        if any(fnmatch(file.as_posix(), pattern) for pattern in unused.patterns):
            path = Path(os.path.normpath(str(file.locate())))
            if path.is_file():
                yield path


def _distribution(package: str) -> Distribution | None:
    try:
        return distribution(package)
    except PackageNotFoundError:
        return None


def _common_folder(files: Iterator[Path]) -> Path:
    return Path(os.path.commonpath([file.parent for file in files]))


def _move(
    unused: UnusedFiles, files: Sequence[Path], aside: Path, moved: list[tuple[Path, Path]]
) -> RemovedFiles:
    version = distribution(unused.package).version
    size = 0
    for file in files:
        size += file.lstat().st_size
        place = aside / str(len(moved))
        file.rename(place)
        moved.append((file, place))
    return RemovedFiles(unused.package, version, size)


def _put_back(moved: Sequence[tuple[Path, Path]]) -> None:
    for file, place in moved:
        shutil.move(place, file)


def _remove_empty(folder: Path, stop: Path) -> None:
    """Remove a folder and those around it, as far as they are empty."""
    while folder != stop and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
