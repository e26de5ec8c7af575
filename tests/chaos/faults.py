"""Faults: the Nth call of a ledger, a store or an embedder fails, before or after its effect."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from enum import Enum
from functools import partial
from typing import TypeVar, cast

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.ports import Embedder, Ledger, VectorStore

_T = TypeVar("_T")

PARTS_OF_A_LEDGER = {"collections", "documents", "vectors", "garbage", "mirrors"}


class Moment(Enum):
    """When the call fails."""

    BEFORE = "before its effect"
    AFTER = "after its effect"


class Kind(Enum):
    """What the fault is."""

    CRASH = "the process ends"
    ERROR = "the call raises"
    CANCELLED = "the task is cancelled"


class Crashed(BaseException):
    """The process is gone: nothing after this has any effect."""


class Faults:
    """Counts the calls and strikes one of them. A process that ended answers none after it."""

    def __init__(self, nth: int, moment: Moment, kind: Kind) -> None:
        self.calls: list[str] = []
        self._nth = nth
        self._moment = moment
        self._kind = kind
        self._dead = False

    @property
    def struck(self) -> bool:
        """Tell whether there was an Nth call."""
        return len(self.calls) >= self._nth

    async def call(
        self, name: str, function: Callable[..., Awaitable[_T]], *args: object, **named: object
    ) -> _T:
        """Pass a call on, unless it is its turn to fail."""
        self._enter(name)
        result = await function(*args, **named)
        self._leave()
        return result

    async def walk(
        self, name: str, function: Callable[..., AsyncIterator[_T]], *args: object
    ) -> AsyncIterator[_T]:
        """Pass a walk on, unless it is its turn to fail."""
        self._enter(name)
        async for item in function(*args):
            yield item
        self._leave()

    def _enter(self, name: str) -> None:
        if self._dead:
            raise Crashed
        self.calls.append(name)
        if len(self.calls) == self._nth and self._moment is Moment.BEFORE:
            self._strike()

    def _leave(self) -> None:
        if self._dead:
            raise Crashed
        if len(self.calls) == self._nth and self._moment is Moment.AFTER:
            self._strike()

    def _strike(self) -> None:
        if self._kind is Kind.CRASH:
            self._dead = True
            raise Crashed
        if self._kind is Kind.CANCELLED:
            raise asyncio.CancelledError
        raise RetrievalUnavailable("A fault was injected here")


class _Faulty:
    """Stands before an object and lets faults strike its asynchronous methods."""

    def __init__(self, inner: object, name: str, faults: Faults) -> None:
        self._inner = inner
        self._name = name
        self._faults = faults

    def __getattr__(self, name: str) -> object:
        found = getattr(self._inner, name)
        label = f"{self._name}.{name}"
        if inspect.iscoroutinefunction(found):
            return partial(self._faults.call, label, found)
        if inspect.isasyncgenfunction(found):
            return partial(self._faults.walk, label, found)
        if name in PARTS_OF_A_LEDGER:
            return _Faulty(found, label, self._faults)
        return found


def faulty_ledger(ledger: Ledger, faults: Faults) -> Ledger:
    """The ledger, with faults."""
    return cast(Ledger, _Faulty(ledger, "ledger", faults))


def faulty_store(store: VectorStore, faults: Faults) -> VectorStore:
    """The store, with faults."""
    return cast(VectorStore, _Faulty(store, "store", faults))


def faulty_embedder(embedder: Embedder, faults: Faults) -> Embedder:
    """The embedder, with faults."""
    return cast(Embedder, _Faulty(embedder, "embedder", faults))
