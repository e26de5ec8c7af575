"""A search shows what was live when it began, however much is replaced while it looks."""

import pytest

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Hit
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.ports import Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.core.vectors import IndexQuery
from sourcebook.search.live_index import LiveIndex
from sourcebook.surfaces.use_cases import UseCases
from tests.fakes import FakeEmbedder
from tests.memory_store import MemoryStore

# More than a version has chunks, and so few that three versions have more points than are looked
# at first: then the search asks which of them are live.
LIMIT = 40
PARAGRAPH = (
    "A paragraph about the {0} of the robot, which is longer than a single line of it. " * 20
)


async def written(use_cases: UseCases, ledger: Ledger, word: str) -> Collection:
    """Write a version of the document; the collection as it is then."""
    text = "\n\n".join(f"{word} {n}. {PARAGRAPH.format(word)}" for n in range(30))
    await use_cases.inbox.put(PostedDocument("nas", "/robot", "Robot", text))
    [collection] = await ledger.collections.all()
    return collection


@pytest.mark.parametrize("by_terms", [True, False])
async def test_what_is_replaced_while_a_search_looks_deeper_is_found(
    use_cases: UseCases, ledger: Ledger, store: MemoryStore, embedder: FakeEmbedder, by_terms: bool
) -> None:
    await written(use_cases, ledger, "arm")
    seen = await written(use_cases, ledger, "leg")
    await written(use_cases, ledger, "head")
    index = LiveIndex(ledger, store, seen)
    vector = await embedder.embed_query("head of the robot")

    async def search() -> list[Hit]:
        if by_terms:
            return (await index.best(IndexQuery(vector, LIMIT), 1, "hybrid"))[0]
        return (await index.nearest(vector, LIMIT, EVERYTHING))[0]

    hits = await search()
    live = await ledger.documents.live_at(seen.id, seen.revision)

    assert {hit.chunk.id for hit in hits} == {chunk_id for chunk_id, _ in live}
    assert 0 < len(hits) < LIMIT
    assert all("the leg of" in hit.chunk.text for hit in hits)
