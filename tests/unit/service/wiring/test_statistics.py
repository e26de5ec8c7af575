"""Statistics are read from the ledger, the disk and the models that run here."""

from pathlib import Path

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.core.statistics import IndexSize, QueueLength, queue_of
from sourcebook.providers.embedders.caching import CachingEmbedder
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.wiring.statistics import Statistics
from sourcebook.service.wiring.watched_parts import WatchedEmbedder, WatchedReranker
from tests.contract.ledger_values import new_collection, put, version_of
from tests.fakes import FakeEmbedder, FakeReranker

NO_MODELS = EmbeddingModels([])


class LocalEmbedder(FakeEmbedder):
    """Has a queue, as a model of this machine does."""

    queue = QueueLength(waiting_queries=3)


class LocalReranker(FakeReranker):
    """Has a queue, as a model of this machine does."""

    queue = QueueLength(running=2)


async def test_the_queues_of_models_are_found_inside_what_wraps_them(ledger: Ledger) -> None:
    local = CachingEmbedder(WatchedEmbedder(LocalEmbedder("minilm")))
    remote = CachingEmbedder(WatchedEmbedder(FakeEmbedder("cohere", dimensions=8)))
    models = EmbeddingModels([local, remote])

    found = await Statistics(ledger, models, WatchedReranker(LocalReranker())).read()

    assert found.queues == {"minilm": local.inner.inner.queue, "cross_encoder": LocalReranker.queue}  # type: ignore[attr-defined]
    assert queue_of(remote) is None


async def test_the_disk_is_measured_by_part(ledger: Ledger, tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    for path in (folder.index / "segment", folder.models / "weights"):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * 100_000)
    for name in ("ledger.db", "ledger.db-wal", "conversations.db", "admin.key"):
        (folder.root / name).write_bytes(b"x" * 10_000)

    found = await Statistics(ledger, NO_MODELS, None, folder, folder.index).read()

    assert found.disk_bytes.keys() == {"databases", "index", "models"}
    assert 100_000 <= found.disk_bytes["index"] < 200_000
    assert 30_000 <= found.disk_bytes["databases"] < 40_960 + 1


async def test_the_ledger_is_not_counted_for_every_scrape(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = 0

    async def size() -> IndexSize:
        nonlocal counted
        counted += 1
        return IndexSize(1, 2, 3)

    monkeypatch.setattr(type(ledger), "size", lambda self: size())
    statistics = Statistics(ledger, NO_MODELS)
    found = [await statistics.read() for _ in range(3)]

    assert counted == 1
    assert {one.index for one in found} == {IndexSize(1, 2, 3)}


async def test_a_ledger_that_does_not_answer_leaves_its_part_out(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def size() -> IndexSize:
        raise TimeoutError

    await put_one(ledger)
    monkeypatch.setattr(type(ledger), "size", lambda self: size())

    found = await Statistics(ledger, NO_MODELS).read()

    assert (found.index, found.jobs) == (None, {})
    assert "statistics_not_read" in caplog.messages


async def put_one(ledger: Ledger) -> None:
    collection = new_collection()
    await ledger.collections.create(collection)
    await put(ledger, collection, version_of("d1"))
