from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sourcebook.core.point_ids import point_ids
from sourcebook.core.vectors import PointRef
from sourcebook.providers.vector_stores.payload import Payload, payload
from sourcebook.providers.vector_stores.qdrant_edge.known_points import KnownPoints


@dataclass(frozen=True)
class FakeRecord:
    id: UUID
    payload: Payload


@dataclass
class FakeShard:
    """Holds payloads, and notes what it was asked for."""

    payloads: dict[str, Payload] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    def retrieve(self, ids: Sequence[UUID], **_: object) -> list[FakeRecord]:
        self.asked.append([str(id_) for id_ in ids])
        found = [
            FakeRecord(id_, self.payloads[str(id_)]) for id_ in ids if str(id_) in self.payloads
        ]
        self.meanwhile()
        return found

    def put(self, chunk: str, vectors: int = 1) -> UUID:
        id_ = point_ids(chunk, "1", 1)[0]
        ref = PointRef(id_, chunk, f"document of {chunk}", "1", "digest", terms="encoder")
        self.payloads[id_] = payload(ref, {}, vectors)
        return UUID(id_)


def read(known: KnownPoints, shard: FakeShard, *ids: UUID) -> dict[UUID, tuple[str, int]]:
    found = known.read(shard, ids)  # type: ignore[arg-type]
    return {id_: (one.ref.chunk_id, len(one.siblings)) for id_, one in found.items()}  # type: ignore[misc]


def test_a_point_is_read_once() -> None:
    shard, known = FakeShard(), KnownPoints()
    a, b = shard.put("a"), shard.put("b", vectors=3)
    assert read(known, shard, a) == {a: ("a", 1)}
    assert read(known, shard, a, b) == {a: ("a", 1), b: ("b", 3)}
    assert read(known, shard, b, a) == {a: ("a", 1), b: ("b", 3)}
    assert shard.asked == [[str(a)], [str(b)]]


def test_a_point_that_was_written_is_read_again() -> None:
    shard, known = FakeShard(), KnownPoints()
    a = shard.put("a")
    read(known, shard, a)
    shard.put("a", vectors=2)
    known.forget([str(a)])
    assert read(known, shard, a) == {a: ("a", 2)}


def test_a_point_that_was_deleted_is_left_out() -> None:
    shard, known = FakeShard(), KnownPoints()
    a, b = shard.put("a"), shard.put("b")
    read(known, shard, a, b)
    del shard.payloads[str(a)]
    known.forget([str(a)])
    assert read(known, shard, a, b) == {b: ("b", 1)}


def test_what_was_read_before_a_write_is_not_kept() -> None:
    shard, known = FakeShard(), KnownPoints()
    a = shard.put("a")

    def written() -> None:
        shard.put("a", vectors=2)
        known.forget([str(a)])
        shard.meanwhile = lambda: None

    shard.meanwhile = written
    assert read(known, shard, a) == {a: ("a", 1)}
    assert read(known, shard, a) == {a: ("a", 2)}


def test_no_more_than_the_limit_is_kept() -> None:
    shard, known = FakeShard(), KnownPoints(limit=2)
    a, b, c = (shard.put(name) for name in "abc")
    read(known, shard, a, b)
    assert len(read(known, shard, a, b, c)) == 3
    read(known, shard, c)
    read(known, shard, a)
    assert shard.asked == [[str(a), str(b)], [str(c)], [str(a)]]
