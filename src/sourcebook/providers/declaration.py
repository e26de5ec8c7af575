"""Declares a provider: its settings, how it is opened, how a connection is tested.

A declaration is what an entry point names, in one of the groups `sourcebook.embedders`,
`sourcebook.vector_stores`, `sourcebook.rerankers`, `sourcebook.judges` and
`sourcebook.language_models`. Its module
imports no SDK: that is for the module that `open` imports when it is called.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

import httpx2
from pydantic import BaseModel

from sourcebook.core.errors import SourcebookError
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ErrorType

S = TypeVar("S", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opening:
    """What the service passes to a provider that it opens.

    `id` is the alias under which collections name a model. `data_dir` is where a provider that
    runs inside this process may keep its files. `namespace` keeps apart what several
    installations store in one server.
    """

    id: str
    data_dir: Path
    models_dir: Path
    namespace: str = "sourcebook"
    download: bool = False


Opener: TypeAlias = Callable[[S, Opening], AbstractAsyncContextManager[T]]


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found: facts, and the names of the server's collections."""

    details: Mapping[str, JsonValue] = field(default_factory=dict)
    collections: tuple[str, ...] | None = None


class ProbeFailed(SourcebookError):
    """A probe failed for a known reason. The message must not repeat what the server wrote."""

    code = "probe_failed"

    def __init__(self, error_type: ErrorType, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


class Provider(Generic[S, T]):
    """Declares a provider of an embedder, a vector store, a reranker or a language model.

    `open` is an async context manager of the settings and an `Opening`, or names one as
    `"module:function"`: then that module, and the SDK that it needs, is imported when the provider
    is opened, and listing providers does not wait for it. `probe` tries a connection with a client
    that goes only where it may; without one a test opens the provider and asks for its health.
    """

    def __init__(
        self,
        settings: type[S],
        open: Opener[S, T] | str,
        probe: Callable[[S, httpx2.AsyncClient], Awaitable[Probed]] | None = None,
    ) -> None:
        self.settings = settings
        self.open: Opener[S, T] = _imported_when_called(open) if isinstance(open, str) else open
        self.probe = probe


def _imported_when_called(name: str) -> Opener[S, T]:
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise ValueError(f"open={name!r} is not of the form 'module:function'")

    def open_provider(settings: S, opening: Opening) -> AbstractAsyncContextManager[T]:
        opener: Opener[S, T] = getattr(import_module(module), function)
        return opener(settings, opening)

    return open_provider
