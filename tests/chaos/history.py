"""What clients did, and which states of a document it allows.

A client knows of an operation when it began, and, if it was confirmed, when it ended. Without a
confirmation it may have happened at any moment since, or never. Whatever a document shows must be
the work of an operation on it that no later one has certainly replaced.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

DocumentId: TypeAlias = tuple[str, str]  # collection and id
State: TypeAlias = str | None  # the text, or None where there is no such document


@dataclass(frozen=True)
class Operation:
    """All of its effects come at once, or none does."""

    number: int
    effects: Mapping[DocumentId, State]


class History:
    """The operations of all clients since the state was last known. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0
        self._known: dict[DocumentId, State] = {}
        self._operations: list[Operation] = []
        self._ended: dict[int, int] = {}

    def begin(self, effects: Mapping[DocumentId, State]) -> Operation:
        """A client is about to ask for this."""
        with self._lock:
            self._now += 1
            operation = Operation(self._now, dict(effects))
            self._operations.append(operation)
            return operation

    def confirm(self, operation: Operation) -> None:
        """The client was told that it is done."""
        with self._lock:
            self._now += 1
            self._ended[operation.number] = self._now

    @property
    def confirmed(self) -> int:
        """How many operations were confirmed since the state was last known."""
        return len(self._ended)

    def ids(self, collection: str) -> set[DocumentId]:
        """Every document of the collection that anybody ever named."""
        with self._lock:
            named = {id_ for operation in self._operations for id_ in operation.effects}
            return {id_ for id_ in named | self._known.keys() if id_[0] == collection}

    def violations(self, seen: Mapping[DocumentId, State]) -> list[str]:
        """What cannot be, given what was done; nobody is doing anything any more."""
        certain = set(self._ended)
        while True:
            explanations = {id_: self._explanations(id_, seen, certain) for id_ in self._all(seen)}
            # The only explanation of one document holds for all that the operation touched.
            only = {found[0] for found in explanations.values() if len(found) == 1}
            if only - {0} <= certain:
                break
            certain |= only - {0}
        return [
            f"{id_}: {seen.get(id_)!r} is not among {self._allowed(id_, certain)!r}"
            for id_, found in sorted(explanations.items())
            if not found
        ]

    def settle(self, seen: Mapping[DocumentId, State]) -> None:
        """From here on, this is how it was."""
        self._known = {id_: seen.get(id_) for id_ in self._all(seen)}
        self._operations.clear()
        self._ended.clear()

    def _all(self, seen: Iterable[DocumentId]) -> set[DocumentId]:
        named = {id_ for operation in self._operations for id_ in operation.effects}
        return named | self._known.keys() | set(seen)

    def _explanations(
        self, id_: DocumentId, seen: Mapping[DocumentId, State], certain: set[int]
    ) -> list[int]:
        """The operations that may have left the document as it is seen; 0 is the beginning."""
        state = seen.get(id_)
        return [n for n, left in self._allowed(id_, certain).items() if left == state]

    def _allowed(self, id_: DocumentId, certain: set[int]) -> dict[int, State]:
        """What each operation that may have been the last one would have left."""
        on_it = {o.number: o.effects[id_] for o in self._operations if id_ in o.effects}
        latest_start = max((n for n in on_it if n in certain), default=0)
        ends = {0: 0, **{n: self._ended.get(n, self._now + 1) for n in on_it}}
        states = {0: self._known.get(id_), **on_it}
        return {n: states[n] for n in states if ends[n] >= latest_start}
