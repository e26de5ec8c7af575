"""Reads a reader's adapter, checks its hash, and merges it into the weights of its base model."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.readings import Calibration
from sourcebook.providers.inference.local_models import (
    BUNDLED,
    BUNDLED_MODEL,
    EMBEDDER,
    LocatedModel,
    locate,
)
from sourcebook.providers.inference.weights import Weights, read_tensors, sha256_of
from sourcebook.providers.readers.local_provider import BUNDLED_READER

ADAPTER_FILE = "adapter.safetensors"
CARD_FILE = "reader.json"
_UP, _DOWN = ".up", ".down"
_PACKAGED = Path(__file__).with_name("bundled")


class _Calibration(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bias: float
    relevance: float
    answer: float
    similarity: float
    coverage: float
    lead: float = 0.0


class _Card(BaseModel):
    """What reader.json says."""

    model_config = ConfigDict(frozen=True)

    sha256: str
    base_sha256: str
    calibration: _Calibration


@dataclass(frozen=True, slots=True)
class Adapter:
    """What was trained: changes of the base model's weights, two heads, and the calibration."""

    name: str
    sha256: str
    base_sha256: str
    calibration: Calibration
    tensors: Weights

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self.tensors.path.parent

    def merged(self, base: Weights) -> Weights:
        """The base model's weights with the changes added, and with the heads."""
        tensors = dict(base.tensors)
        for name, tensor in self.tensors.tensors.items():
            if name.endswith(_UP):
                changed = name.removesuffix(_UP)
                change = tensor @ self.tensors[changed + _DOWN]
                tensors[changed] = np.ascontiguousarray(base[changed] + change)
            elif not name.endswith(_DOWN):
                tensors[name] = tensor
        return Weights(self.tensors.path, tensors)


def reader_folder(path: str) -> Path:
    """The folder of a reader: the bundled one, or the one of that path."""
    return _PACKAGED if path == BUNDLED_READER else Path(path).expanduser()


def read_adapter(path: str) -> Adapter:
    """Read a reader's files; ConfigurationError if one is missing, damaged or another's."""
    folder = reader_folder(path)
    card = _read_card(folder / CARD_FILE)
    file = folder / ADAPTER_FILE
    sha256 = sha256_of(file)
    if sha256 != card.sha256:
        raise ConfigurationError(
            f"{file} has the sha256 {sha256}, not {card.sha256} as {CARD_FILE} says: it was damaged"
            " or replaced. Restore the file, or set SOURCEBOOK_READER=off"
        )
    name = BUNDLED_READER if path == BUNDLED_READER else folder.resolve().name
    calibration = Calibration(**card.calibration.model_dump())
    return Adapter(name, sha256, card.base_sha256, calibration, read_tensors(file))


def find_reader(path: str, models_dir: Path) -> tuple[Adapter, LocatedModel]:
    """Read a reader's files, and find the model that it stands on; ConfigurationError."""
    return read_adapter(path), locate(BUNDLED + BUNDLED_MODEL, models_dir, EMBEDDER)


def _read_card(path: Path) -> _Card:
    try:
        return _Card.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}. SOURCEBOOK_READER takes `bundled`, `off`, or a folder"
            f" with {ADAPTER_FILE} and {CARD_FILE}"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigurationError(
            f"{path}: {place}: {first['msg']}. Export the reader again, see training/README.md"
        ) from error
