"""A text in parts gets a vector for each part, and stays one text to everybody else."""

import pytest

from sourcebook.core.errors import PoisonText
from sourcebook.core.ports import Ledger
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.embedded_parts import MAX_PARTS, join_parts, split_parts
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore


def test_parts_are_joined_and_split_again() -> None:
    assert split_parts(join_parts(["one", "two", "three"])) == ["one", "two", "three"]
    assert split_parts("a text without parts") == ["a text without parts"]


@pytest.mark.parametrize("text", ["a\x1e", "\x1e", "a\x1e \x1eb", "a\x1e" * MAX_PARTS + "a"])
def test_a_text_that_was_not_joined_here_stays_whole(text: str) -> None:
    assert split_parts(text) == [text]


def test_a_separator_in_a_part_is_no_boundary() -> None:
    assert split_parts(join_parts(["a\x1eb", "c"])) == ["a b", "c"]


async def test_each_part_has_a_vector(
    ledger: Ledger, store: MemoryStore, embedder: FakeEmbedder
) -> None:
    texts = {"h1": join_parts(["publishers", "subscribers"]), "h2": "arms"}

    embedded = await ChunkWriter(ledger, store).embed(embedder, texts)

    wanted = await embedder.embed_documents(["publishers", "subscribers", "arms"])
    assert embedded.by_hash["h1"] == (*wanted[0], *wanted[1])
    assert embedded.by_hash["h2"] == wanted[2]
    assert embedded.fresh == 2


async def test_a_refused_part_is_reported_as_its_text(
    ledger: Ledger, store: MemoryStore, embedder: FakeEmbedder
) -> None:
    embedder.poison = "bitter"
    texts = {"h1": join_parts(["a", "b"]), "h2": join_parts(["c", "bitter", "bitter"])}

    with pytest.raises(PoisonText) as refused:
        await ChunkWriter(ledger, store).embed(embedder, texts)

    assert refused.value.positions == (1,)
