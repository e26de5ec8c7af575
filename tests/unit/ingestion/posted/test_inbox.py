"""What was posted is stored once, whole, and nothing is embedded twice."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    EmbeddingFailed,
    InvalidInput,
    ModelNotLoaded,
    NotFound,
    RateLimited,
    SourcebookError,
)
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument, PostReceipt, own_metadata
from sourcebook.core.vectors import Embedding
from sourcebook.ingestion.chunking.limits import ChunkLimits
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.posted.inbox import MAX_TEXT_LENGTH, Inbox
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.service.wiring.ingestion import assemble_documents
from tests.fakes import FakeClock, FakeEmbedder
from tests.ledgers import open_copied_ledger
from tests.memory_store import MemoryStore

ARM = PostedDocument("nas", "/arm.md", "The arm", "It lifts 3 kg.", tags=("manual",))
LONG = replace(ARM, text="\n\n".join(f"Paragraph {n}. " + "It lifts. " * 60 for n in range(40)))


@pytest.fixture
def inbox(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Inbox:
    return assemble_documents(ledger, store, models).inbox


async def stored(ledger: Ledger, document_id: str) -> dict[str, JsonValue]:
    collection = await ledger.collections.get("documents")
    found = (await ledger.documents.get(collection.id, [document_id]))[document_id]
    return {"text": found.text, **found.metadata}


def statuses(results: Sequence[PostReceipt | SourcebookError]) -> list[str]:
    return [r.status if isinstance(r, PostReceipt) else type(r).__name__ for r in results]


async def test_the_first_document_makes_the_collection_with_the_first_model(
    inbox: Inbox, ledger: Ledger
) -> None:
    receipt = await inbox.put(ARM)

    assert receipt == PostReceipt(ARM.document_id, "created", 1)
    assert (await ledger.collections.get("documents")).generation.model == "minilm"


async def test_without_a_model_nothing_can_be_put(ledger: Ledger, store: MemoryStore) -> None:
    inbox = assemble_documents(ledger, store, EmbeddingModels([])).inbox

    with pytest.raises(ModelNotLoaded):
        await inbox.put(ARM)


async def test_the_same_again_is_no_work(inbox: Inbox, embedder: FakeEmbedder) -> None:
    await inbox.put(LONG)
    embedder.batches.clear()

    receipt = await inbox.put(LONG)

    assert (receipt.status, receipt.chunk_count > 3) == ("unchanged", True)
    assert embedder.batches == []


async def test_another_chunk_size_splits_a_document_again(
    inbox: Inbox, ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    before = await inbox.put(LONG)
    half = ChunkLimits(target=400, maximum=508, minimum=64, overlap=40)
    collection = LazyCollection(ledger, store, models, "documents", {})
    resized = Inbox(ledger, store, collection, half)

    after = await resized.put(LONG)

    assert (after.status, after.chunk_count > before.chunk_count) == ("updated", True)
    assert (await resized.put(LONG)).status == "unchanged"


@pytest.mark.parametrize(
    ("changed", "status", "embedded"),
    [
        (ARM, "unchanged", False),
        (replace(ARM, hash="another"), "updated", False),
        (replace(ARM, metadata={"ingestedAt": "Friday"}), "unchanged", False),
        (replace(ARM, text="It lifts 3 kg.\x00"), "unchanged", False),
        (replace(ARM, title="An arm"), "updated", False),
        (replace(ARM, tags=("manual", "arm")), "updated", False),
        (replace(ARM, metadata={"size": 3}), "updated", False),
        (replace(ARM, text="It lifts 4 kg."), "updated", True),
        (replace(ARM, text="It lifts 4 kg.", hash="the same"), "updated", True),
        (replace(ARM, path="/leg.md"), "created", False),
        (replace(ARM, source="web", text="Another."), "created", True),
    ],
)
async def test_only_what_changed_is_done(
    inbox: Inbox, embedder: FakeEmbedder, changed: PostedDocument, status: str, embedded: bool
) -> None:
    await inbox.put(replace(ARM, hash="the same"))
    embedder.batches.clear()

    receipt = await inbox.put(changed)

    assert receipt.status == status
    assert bool(embedder.batches) == embedded


async def test_an_update_keeps_the_first_time_and_takes_a_new_last_one(
    inbox: Inbox, ledger: Ledger, clock: FakeClock
) -> None:
    await inbox.put(ARM)
    clock.now_s += 60
    await inbox.put(replace(ARM, title="An arm"))

    collection = await ledger.collections.get("documents")
    header = await ledger.documents.header(collection.id, ARM.document_id)
    assert header is not None
    assert header.updated_at_s - header.created_at_s == 60


async def test_raw_bytes_are_cleaned_and_the_spans_are_true(
    inbox: Inbox, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    raw = bytes(range(256)) * 400
    posting = replace(ARM, text="%PDF-1.4\n" + raw.decode("utf-8", "replace"), title="a\x00b")

    with caplog.at_level(logging.WARNING):
        await inbox.put(posting)

    found = await stored(ledger, ARM.document_id)
    assert found["title"] == "ab"
    assert "\x00" not in str(found["text"])
    assert "control_characters_removed" in caplog.messages
    collection = await ledger.collections.get("documents")
    whole = await ledger.documents.whole(collection.id, ARM.document_id)
    assert whole is not None
    assert len(whole.chunks) > 1
    for chunk in whole.chunks:
        assert chunk.extent is not None
        assert chunk.text == whole.document.text[chunk.extent.start : chunk.extent.end]


async def test_own_metadata_are_kept_beside_ours(inbox: Inbox, ledger: Ledger) -> None:
    own: dict[str, JsonValue] = {"source": "evil", "title": "evil", "nested": {"a": [1, None]}}
    await inbox.put(replace(ARM, metadata=own))

    found = await stored(ledger, ARM.document_id)
    assert (found["source"], found["title"]) == ("nas", "The arm")
    assert own_metadata(found) == own


@pytest.mark.parametrize(
    "posting",
    [
        replace(ARM, text=" \n\x00\u200b"),
        replace(ARM, text="x" * (MAX_TEXT_LENGTH + 1)),
        replace(ARM, metadata={f"k{n}": n for n in range(300)}),
        replace(ARM, metadata={"a": "\x00"}),
    ],
    ids=["blank", "too long", "too many values", "a NUL"],
)
async def test_what_cannot_be_kept_is_refused(
    inbox: Inbox, ledger: Ledger, posting: PostedDocument
) -> None:
    with pytest.raises(InvalidInput):
        await inbox.put(posting)

    collection = await ledger.collections.get("documents")
    assert await ledger.documents.headers(collection.id, EVERYTHING) == []


async def test_fifty_at_a_time_create_once(
    inbox: Inbox, ledger: Ledger, store: MemoryStore
) -> None:
    receipts = await asyncio.gather(*(inbox.put(LONG) for _ in range(50)))

    said = [receipt.status for receipt in receipts]
    assert (said.count("created"), said.count("unchanged")) == (1, 49)
    assert len({receipt.chunk_count for receipt in receipts}) == 1
    assert all(report.clean for report in await Verifier(ledger, store).verify())


async def test_many_writers_of_many_documents_never_wait_in_a_circle(inbox: Inbox) -> None:
    postings = [replace(ARM, path=f"/{n}.md") for n in range(6)]
    orders = [postings, postings[::-1], postings[3:] + postings[:3]] * 5

    async with asyncio.timeout(60):
        results = await asyncio.gather(*(inbox.put_all(order) for order in orders))

    said = [status for each in results for status in statuses(each)]
    assert said.count("created") == 6


async def test_the_same_document_twice_in_a_batch_is_put_in_its_turn(inbox: Inbox) -> None:
    other = replace(ARM, path="/leg.md")

    results = await inbox.put_all([ARM, other, replace(ARM, title="New"), ARM, ARM])

    assert statuses(results) == ["created", "created", "updated", "updated", "unchanged"]


class Fussy(FakeEmbedder):
    """Refuses a batch with a certain word in it."""

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedding]:
        if any("poison" in text for text in texts):
            raise EmbeddingFailed("I do not take this")
        if any("busy" in text for text in texts):
            raise RateLimited("Wait", retry_after_s=2.0)
        return await super().embed_documents(texts)


@pytest.fixture
def fussy(ledger: Ledger, store: MemoryStore) -> Inbox:
    return assemble_documents(ledger, store, EmbeddingModels([Fussy("minilm")])).inbox


async def test_one_that_fails_does_not_harm_the_others(fussy: Inbox, ledger: Ledger) -> None:
    words = ("one", "poison", " ", "two")
    postings = [replace(ARM, path=f"/{n}", text=word) for n, word in enumerate(words)]

    results = await fussy.put_all(postings)

    assert statuses(results) == ["created", "EmbeddingFailed", "InvalidInput", "created"]
    assert (await ledger.collections.get("documents")).count == 2


async def test_a_model_that_asks_to_wait_is_not_asked_again(fussy: Inbox) -> None:
    postings = [replace(ARM, path=f"/{n}", text=word) for n, word in enumerate(("one", "busy"))]

    assert statuses(await fussy.put_all(postings)) == ["RateLimited", "RateLimited"]


async def test_a_failed_embedding_leaves_the_old_version(
    inbox: Inbox, ledger: Ledger, embedder: FakeEmbedder
) -> None:
    await inbox.put(ARM)
    embedder.failing = True

    with pytest.raises(EmbeddingFailed):
        await inbox.put(replace(ARM, text="Something new."))

    assert (await stored(ledger, ARM.document_id))["text"] == ARM.text


async def test_a_deleted_document_is_gone_and_can_come_again(inbox: Inbox) -> None:
    await inbox.put(ARM)

    await inbox.delete(ARM.document_id)

    with pytest.raises(NotFound):
        await inbox.delete(ARM.document_id)
    assert (await inbox.put(ARM)).status == "created"


@pytest.mark.parametrize("document_id", ["unknown", "a\x00b", ""])
async def test_deleting_what_is_not_there_changes_nothing(
    inbox: Inbox, ledger: Ledger, document_id: str
) -> None:
    with pytest.raises(NotFound):
        await inbox.delete(document_id)
    await inbox.put(ARM)
    before = await ledger.collections.get("documents")

    with pytest.raises(NotFound, match="not found"):
        await inbox.delete(document_id)

    assert await ledger.collections.get("documents") == before


async def test_after_a_restart_the_same_is_unchanged(
    tmp_path: Path, store: MemoryStore, models: EmbeddingModels
) -> None:
    said = []
    for _ in range(2):
        async with open_copied_ledger(tmp_path / "kept.db") as ledger:
            inbox = assemble_documents(ledger, store, models).inbox
            said.append((await inbox.put(ARM)).status)

    assert said == ["created", "unchanged"]
