"""Loads and reads models of the sentence-transformers library."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.local_models import LocatedModel
from sourcebook.providers.inference.model_code import code_refused
from sourcebook.providers.inference.windows import Offsets

INSTALL = "pip install 'sourcebook[sentence-transformers]'"
# The limit of a model that states none, and the most that any is given to read at once.
MAX_TOKENS = 8192


class Tensor(Protocol):
    """The part of a torch tensor that we use."""

    def float(self) -> "Tensor": ...
    def cpu(self) -> "Tensor": ...
    def numpy(self) -> npt.NDArray[np.float32]: ...


class HubTokenizer(Protocol):
    """A fast tokenizer of the transformers library."""

    @property
    def is_fast(self) -> bool: ...
    def num_special_tokens_to_add(self, pair: bool = False) -> int: ...
    def __call__(self, text: str, **options: bool) -> Mapping[str, Sequence[tuple[int, int]]]: ...


@contextmanager
def loading_errors(model: LocatedModel, code_advice: str) -> Iterator[None]:
    """Raise whatever goes wrong while a model is loaded as ConfigurationError.

    `code_advice` is for a model that needs code of its own.
    """
    try:
        yield
    except ConfigurationError:
        raise
    except ImportError as error:
        raise ConfigurationError(
            f"Model {model.name!r} needs the sentence-transformers library: {INSTALL}"
        ) from error
    except Exception as error:  # the library raises anything
        if "trust_remote_code" in str(error):
            raise code_refused(model.name, code_advice) from error
        # The message alone may be as little as the key that a file lacks.
        raise ConfigurationError(
            f"Model {model.name!r} could not be loaded by sentence-transformers from"
            f" {str(model.folder)!r} ({type(error).__name__}: {error}). A file in that folder, such"
            " as modules.json or config.json, is missing, damaged or for another version of the"
            " library: save or download the model again, or name another one"
        ) from error


def token_offsets(tokenizer: HubTokenizer) -> Offsets:
    """Return a function that finds where the tokens of a text begin and end."""
    if not tokenizer.is_fast:
        raise ConfigurationError(
            "The model has only a slow tokenizer, which cannot tell where its tokens lie in a"
            " text. Choose a model with a tokenizer.json"
        )

    def offsets(text: str) -> Sequence[tuple[int, int]]:
        encoded = tokenizer(
            text,
            add_special_tokens=False,
            return_offsets_mapping=True,
            truncation=False,
            verbose=False,
        )
        return encoded["offset_mapping"]

    return offsets


def token_limit(max_seq_length: int | None) -> int:
    """Return how many tokens a model reads at once; some state no limit."""
    return min(max_seq_length or MAX_TOKENS, MAX_TOKENS)


def weights_digest(tensors: Mapping[str, Tensor]) -> str:
    """Hash all weights, whatever files they came from."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].float().cpu().numpy().tobytes())
    return digest.hexdigest()
