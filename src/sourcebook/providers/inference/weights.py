"""Reads the weights of a model folder, from safetensors only: reading them can run no code."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.known_hashes import FileState, KnownHashes
from sourcebook.providers.inference.model_folder import USE_THE_EXTRA, WEIGHTS_FILE

FloatArray: TypeAlias = npt.NDArray[np.float32]

# A file that is younger may be written again with the same times.
MIN_AGE_S = 2.0
_HASHES: dict[FileState, str] = {}
_PREFIXES = ("bert.", "roberta.")
_OLD_NAMES = {".gamma": ".weight", ".beta": ".bias"}


@dataclass(frozen=True, slots=True)
class Weights:
    """Tensors by name, without the prefix of the model's kind."""

    path: Path
    tensors: Mapping[str, FloatArray]

    def __getitem__(self, name: str) -> FloatArray:
        try:
            return self.tensors[name]
        except KeyError:
            raise ConfigurationError(
                f"{self.path} has no tensor {name!r}: it is another kind of model than its"
                f" config.json says, or has no such head. {USE_THE_EXTRA}"
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self.tensors


def hash_weights(folder: Path, known: KnownHashes | None = None) -> str:
    """Return the sha256 of a folder's weights."""
    return sha256_of(_weights_file(folder), known)


def sha256_of(path: Path, known: KnownHashes | None = None) -> str:
    """Return the sha256 of a file, which is read again only once it has changed.

    The bundled model is hashed for the embedder and for the reader, half a second each. What is
    `known` need not be read by the next process, either.
    """
    try:
        about = path.stat()
        state = about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
        if state in _HASHES:
            return _HASHES[state]
        found = None if known is None else known.get(state)
        if found is None:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if time.time() - about.st_ctime <= MIN_AGE_S:
                return found
            if known is not None:
                known.add(state, found)
        _HASHES[state] = found
        return found
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def read_weights(folder: Path) -> Weights:
    """Read all tensors of a model folder as 32-bit floats."""
    return read_tensors(_weights_file(folder))


def read_tensors(path: Path) -> Weights:
    """Read all tensors of a file as 32-bit floats."""
    try:
        with safe_open(path, framework="np") as file:
            tensors = {_bare(name): file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read as 32-bit or 16-bit floats: {error!r}."
            f" If the file is whole: {USE_THE_EXTRA}"
        ) from error
    floats = {
        name: np.ascontiguousarray(tensor, dtype=np.float32)
        for name, tensor in tensors.items()
        if tensor.dtype.kind == "f"
    }
    return Weights(path, floats)


def _weights_file(folder: Path) -> Path:
    path = folder / WEIGHTS_FILE
    if path.exists():
        return path
    if (folder / "pytorch_model.bin").exists():
        raise ConfigurationError(
            f"{folder} has only pytorch_model.bin, a pickle, which could run any code when it is"
            f" read. Use a revision of the model with {WEIGHTS_FILE}, or convert it once with"
            " `save_pretrained(folder, safe_serialization=True)`"
        )
    if (folder / f"{WEIGHTS_FILE}.index.json").exists():
        raise ConfigurationError(
            f"The weights in {folder} are split over several files, which is not supported here."
            f" {USE_THE_EXTRA}"
        )
    raise ConfigurationError(
        f"{path} is missing. The folder must be a whole sentence-transformers model folder"
    )


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for old, new in _OLD_NAMES.items():
        if name.endswith(old):
            name = name.removesuffix(old) + new
    return name
