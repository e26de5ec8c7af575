"""Everything that changes a world, with its effects on documents."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sourcebook.core.documents import Document
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
from sourcebook.ingestion.upkeep.sweeper import ABANDONED_AFTER_S, Sweeper
from tests.chaos.checker import Seen
from tests.chaos.history import DocumentId, State
from tests.chaos.world import Parts, document, state

Ingesting: TypeAlias = Callable[[Parts], Ingestor]


@dataclass(frozen=True)
class Change:
    """An operation; `run` is given the ingestor to use, ours or a naive one."""

    run: Callable[[Parts, Ingestor], Awaitable[object]]
    effects: Mapping[DocumentId, State] = field(default_factory=dict)


def _on_robotics(**states: State) -> dict[DocumentId, State]:
    return {("robotics", id_): state_ for id_, state_ in states.items()}


RETAGGED = Document("a", document("a", 1).text, {"version": "1", "tier": 2})

WRITES: Mapping[str, Change] = {
    "replace one and add one": Change(
        lambda _, ingestor: ingestor.add("robotics", [document(id_, 2) for id_ in "ad"]),
        _on_robotics(a=state("a", 2), d=state("d", 2)),
    ),
    "change metadata alone": Change(
        lambda _, ingestor: ingestor.add("robotics", [RETAGGED]),
        _on_robotics(a=Seen("a", RETAGGED.text, RETAGGED.metadata).state),
    ),
}

CHANGES: Mapping[str, Change] = {
    **WRITES,
    "delete two": Change(
        lambda _, ingestor: ingestor.delete("robotics", ["a", "b"]), _on_robotics(a=None, b=None)
    ),
    "empty": Change(
        lambda _, ingestor: ingestor.empty("robotics"), _on_robotics(a=None, b=None, c=None)
    ),
    "create a collection": Change(lambda parts, _: parts.catalog.create("new", {}, "minilm")),
    "delete a collection": Change(
        lambda parts, _: parts.catalog.delete("robotics"), _on_robotics(a=None, b=None, c=None)
    ),
    "rebuild": Change(lambda parts, _: _rebuild(parts)),
    "sweep": Change(lambda parts, _: _sweep(parts)),
    "sweep at a start": Change(
        lambda parts, _: Sweeper(parts.ledger, parts.store, parts.clock).sweep_all()
    ),
}


async def _rebuild(parts: Parts) -> None:
    collection = await parts.ledger.collections.get("robotics")
    await Rebuilder(parts.ledger, parts.store).rebuild(collection)


async def _sweep(parts: Parts) -> None:
    parts.clock.now_s += ABANDONED_AFTER_S
    await Sweeper(parts.ledger, parts.store, parts.clock).sweep()
