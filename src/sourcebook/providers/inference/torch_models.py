"""What our sentence-transformers adapters ask of the library's models."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.text_pieces import Offsets

INSTALL = "pip install 'sourcebook[sentence-transformers]'"
# What a model without any limit of its own is given to read at once.
TOKENS_WITHOUT_LIMIT = 8192


class Tensor(Protocol):
    """A tensor of weights."""

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
def loading_errors(name: str) -> Iterator[None]:
    """Translate whatever goes wrong while a model is loaded."""
    try:
        yield
    except ConfigurationError:
        raise
    except ImportError as error:
        raise ConfigurationError(
            f"Model {name!r} needs the sentence-transformers library: {INSTALL}"
        ) from error
    except Exception as error:  # the library raises anything
        raise ConfigurationError(
            f"Model {name!r} could not be loaded by sentence-transformers: {error}"
        ) from error


def token_offsets(tokenizer: HubTokenizer) -> Offsets:
    """A function that says where the tokens of a text lie."""
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
    """How many tokens a model reads at once; some say nothing."""
    return min(max_seq_length or TOKENS_WITHOUT_LIMIT, TOKENS_WITHOUT_LIMIT)


def weights_digest(tensors: Mapping[str, Tensor]) -> str:
    """A hash over all weights, whatever files they came from."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].float().cpu().numpy().tobytes())
    return digest.hexdigest()
