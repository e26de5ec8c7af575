"""Collections that another tool filled with Chroma's own library, in a folder and at a server."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import chromadb
import pytest
from chromadb.api import ClientAPI
from chromadb.config import Settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sourcebook.core.errors import ConfigurationError, NotFound, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata
from sourcebook.providers.vector_stores.adopted import AdoptedReader
from sourcebook.providers.vector_stores.chroma.reader import open_adopted_chroma
from sourcebook.providers.vector_stores.chroma.search import cosine_of
from sourcebook.providers.vector_stores.chroma.settings import ChromaFolderSettings
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.testing.filter_examples import FIELDS, filters, scalar_values
from sourcebook.testing.points import filled, point
from tests.extras.chroma_process import free_port
from tests.extras.chroma_stores import server_settings, server_store

NOTHING = FieldMapping()
EAST, NORTH = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
PAGES: dict[str, tuple[list[float], str, dict[str, object]]] = {
    "a": (EAST, "Volcanoes rise.", {"source": "https://a.example/", "title": "Fire", "tier": 1}),
    "b": ([0.8, 0.6, 0.0], "Bees dance.", {"source": "https://b.example/", "tier": 2.0}),
    "c": (NORTH, "Bread rises.", {"source": "https://c.example/", "tags": ["x", "y"], "tier": "1"}),
    "blank": (EAST, " ", {"source": "https://blank.example/"}),
}

Adopt = Callable[..., AbstractAsyncContextManager[AdoptedReader]]


class World:
    """Another tool's client, and how its collections are adopted."""

    def __init__(self, client: ClientAPI, adopt: Adopt) -> None:
        self.client = client
        self.adopt = adopt
        self.name = f"pages-{uuid4().hex[:8]}"

    def fill(self, space: str = "cosine", scale: float = 1.0) -> str:
        collection = self.client.create_collection(
            self.name, configuration={"hnsw": {"space": space}}, embedding_function=None
        )
        vectors = [[scale * value for value in vector] for vector, _, _ in PAGES.values()]
        collection.add(
            ids=[*PAGES],
            embeddings=vectors,
            documents=[text for _, text, _ in PAGES.values()],
            metadatas=[metadata for _, _, metadata in PAGES.values()],
        )
        return self.name


@contextmanager
def other_tool(folder: Path) -> Iterator[ClientAPI]:
    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    try:
        yield client
    finally:
        client.close()


@contextmanager
def remote_tool(url: str) -> Iterator[ClientAPI]:
    parts = urlsplit(url)
    settings = Settings(anonymized_telemetry=False)
    with chromadb.HttpClient(parts.hostname or "", parts.port or 0, settings=settings) as client:
        try:
            yield client
        finally:
            # The library leaves its connections open when it is closed.
            for inner in (client, client._admin_client):
                inner._server._session.close()


@pytest.fixture(params=["folder", "server"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "folder":
        folder = tmp_path / "theirs"
        with other_tool(folder) as client:
            # It closes first: a folder belongs to one process, and to one set of settings.
            def adopt(
                collection: str, mapping: FieldMapping = NOTHING
            ) -> AbstractAsyncContextManager[AdoptedReader]:
                client.close()
                where = ChromaFolderSettings(path=folder)
                return open_adopted_chroma(where, collection, mapping)

            yield World(client, adopt)
        return
    url: str = request.getfixturevalue("chroma_url")
    with remote_tool(url) as client:

        def adopt_at_server(
            collection: str, mapping: FieldMapping = NOTHING
        ) -> AbstractAsyncContextManager[AdoptedReader]:
            return open_adopted_chroma(server_settings(url), collection, mapping)

        yield World(client, adopt_at_server)


async def test_the_nearest_come_first_with_their_documents(world: World) -> None:
    async with world.adopt(world.fill()) as adopted:
        hits = await adopted.nearest(EAST, 3, EVERYTHING)
        assert [hit.chunk.text for hit in hits] == [
            "Volcanoes rise.",
            "Bees dance.",
            "Bread rises.",
        ]
        assert [hit.score for hit in hits] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)
        assert adopted.dimensions == 3
        assert adopted.name == world.name
        assert adopted.model is None
        assert await adopted.count() == 4
        assert (await adopted.check()).status == "up"


async def test_fields_have_their_own_names_and_ours(world: World) -> None:
    async with world.adopt(world.fill()) as adopted:
        [hit] = await adopted.nearest(EAST, 1, EVERYTHING)
    expected = {"source": "https://a.example/", "title": "Fire", "tier": 1}
    ours = {"source_url": "https://a.example/", "page_title": "Fire"}
    assert hit.chunk.metadata == {**expected, **ours}
    assert hit.chunk.document_id == "https://a.example/"


async def test_a_mapping_can_name_another_text(world: World) -> None:
    async with world.adopt(world.fill(), FieldMapping(text="title")) as adopted:
        [hit] = await adopted.nearest(NORTH, 5, EVERYTHING)
    assert hit.chunk.text == "Fire"


@pytest.mark.parametrize("space", ["l2", "ip"])
async def test_other_distances_of_unit_vectors_become_cosines(world: World, space: str) -> None:
    async with world.adopt(world.fill(space)) as adopted:
        hits = await adopted.nearest([3.0, 0.0, 0.0], 3, EVERYTHING)
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)


@pytest.mark.parametrize("space", ["l2", "ip"])
async def test_other_distances_of_other_vectors_are_refused(world: World, space: str) -> None:
    with pytest.raises(ConfigurationError, match=f"compares by '{space}'"):
        await world.adopt(world.fill(space, scale=2.0)).__aenter__()


def test_cosines_stay_in_their_range() -> None:
    assert cosine_of(-1e-7, "cosine") == 1.0
    assert cosine_of(4.0000002, "l2") == -1.0
    assert cosine_of(2.5, "ip") == -1.0


CASES: list[tuple[Filter, str]] = [
    (OneOf("tier", (1,)), "a"),
    (OneOf("tier", (1.0, 2)), "ab"),
    (OneOf("tier", ("1",)), "c"),
    (OneOf("tags", ("y", "z")), "c"),
    (OneOf("source_url", ("https://b.example/",)), "b"),
    (OneOf("source", ("https://b.example/",)), "b"),
    (OneOf("page_title", ("Fire",)), "a"),
    (OneOf("tier", ()), ""),
    (Compare("tier", "gt", 1), "b"),
    (Compare("tier", "lt", 1.5), "a"),
    (Compare("tier", "gt", 1.5), "b"),
    (Compare("tier", "lte", 2**60), "ab"),
    (Not(OneOf("tier", (1,))), "bc"),
    (AllOf((Not(OneOf("tier", (1,))), Compare("tier", "gte", 0))), "b"),
    (AnyOf((OneOf("tags", ("x",)), OneOf("tier", (1,)))), "ac"),
    (AnyOf(()), ""),
    (AllOf((OneOf("$odd", (1,)),)), ""),
]


@pytest.mark.parametrize(("filter_", "expected"), CASES, ids=[repr(case[0]) for case in CASES])
async def test_a_filter_lets_exactly_these_pass(
    world: World, filter_: Filter, expected: str
) -> None:
    async with world.adopt(world.fill()) as adopted:
        hits = await adopted.nearest(EAST, 10, filter_)
    assert sorted(hit.chunk.id for hit in hits) == sorted(expected)


async def test_the_limit_counts_chunks_that_pass(world: World) -> None:
    collection = world.client.create_collection(world.name, embedding_function=None)
    many = [{"kind": "other", "n": n} for n in range(500)] + [{"kind": "mine", "n": 500}]
    collection.add(
        ids=[str(n) for n in range(501)],
        embeddings=[EAST] * 500 + [NORTH],
        documents=[f"text {n}" for n in range(501)],
        metadatas=many,
    )
    async with world.adopt(world.name) as adopted:
        for wanted in (OneOf("kind", ("mine",)), Not(OneOf("kind", ("other",)))):
            [hit] = await adopted.nearest(EAST, 1, wanted)
            assert hit.chunk.text == "text 500"


async def test_what_is_not_there_is_not_found(world: World) -> None:
    world.fill()
    with pytest.raises(NotFound, match="no-such-collection"):
        await world.adopt("no-such-collection").__aenter__()


async def test_an_empty_collection_is_awaited(world: World) -> None:
    world.client.create_collection(world.name, embedding_function=None)
    with pytest.raises(RetrievalUnavailable, match="is empty"):
        await world.adopt(world.name).__aenter__()


async def test_reading_changes_nothing(world: World) -> None:
    name = world.fill()
    async with world.adopt(name) as adopted:
        await adopted.nearest(EAST, 3, OneOf("tier", (1,)))
        await adopted.count()
        await adopted.check()
    async with world.adopt(name) as adopted:
        assert await adopted.count() == 4
        assert (await adopted.nearest(NORTH, 1, EVERYTHING))[0].chunk.text == "Bread rises."


async def test_our_own_indexes_are_not_adopted(chroma_url: str) -> None:
    namespace = f"test-{uuid4().hex}"
    async with server_store(chroma_url, namespace) as store:
        await filled(store, point("a"))
    settings = server_settings(chroma_url)
    with pytest.raises(NotFound):
        await open_adopted_chroma(settings, f"{namespace}-books_v1", NOTHING).__aenter__()


async def test_a_collection_that_goes_away_is_told(chroma_url: str) -> None:
    with remote_tool(chroma_url) as client:
        name = World(client, open_adopted_chroma).fill()
        async with open_adopted_chroma(server_settings(chroma_url), name, NOTHING) as adopted:
            client.delete_collection(name)
            with pytest.raises(RetrievalUnavailable, match=f"{name}.*any more"):
                await adopted.nearest(EAST, 1, EVERYTHING)
            assert (await adopted.check()).status == "down"


async def test_a_server_that_refuses_connections_is_told() -> None:
    nowhere = server_settings(f"http://127.0.0.1:{free_port()}", token="t")
    with pytest.raises(RetrievalUnavailable, match="cannot be reached"):
        await open_adopted_chroma(nowhere, "pages", NOTHING).__aenter__()


async def test_a_folder_without_a_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"chroma\.sqlite3"):
        await open_adopted_chroma(
            ChromaFolderSettings(path=tmp_path), "pages", NOTHING
        ).__aenter__()
    assert not (tmp_path / "chroma.sqlite3").exists()


def foreign_metadata() -> st.SearchStrategy[dict[str, object]]:
    """What Chroma lets a tool write: flat, lists of one type, no name that it keeps for itself."""
    lists = st.one_of(
        st.lists(st.sampled_from(("intro", "1", "é")), min_size=1, max_size=3),
        st.lists(st.integers(-3, 3), min_size=1, max_size=3),
        st.lists(st.sampled_from((0.0, 1.0, 1.5)), min_size=1, max_size=3),
        st.lists(st.booleans(), min_size=1, max_size=3),
    )
    values = st.one_of(scalar_values().filter(fits), lists)
    return st.dictionaries(st.sampled_from(FIELDS), values, min_size=1, max_size=4)


def fits(value: object) -> bool:
    return not isinstance(value, int) or abs(value) < 2**63


async def test_every_filter_agrees_with_its_meaning(chroma_url: str) -> None:
    loop = asyncio.get_running_loop()
    foreign = f"foreign-{uuid4().hex[:8]}"
    with remote_tool(chroma_url) as client:

        @settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
        @given(
            st.lists(foreign_metadata(), min_size=1, max_size=8),
            st.lists(filters(), min_size=4, max_size=10),
        )
        def agrees(documents: list[dict[str, object]], wanted: list[Filter]) -> None:
            collection = client.get_or_create_collection(foreign, embedding_function=None)
            collection.add(
                ids=[str(n) for n in range(len(documents))],
                embeddings=[EAST] * len(documents),
                documents=["text"] * len(documents),
                metadatas=documents,
            )
            work = compare(chroma_url, foreign, wanted)
            asyncio.run_coroutine_threadsafe(work, loop).result(60)
            # Chroma 1.5.9 leaves the lists of a dropped collection to records of the next one.
            collection.delete(ids=[str(n) for n in range(len(documents))])
            client.delete_collection(foreign)

        await asyncio.to_thread(agrees)


async def compare(url: str, collection: str, wanted: list[Filter]) -> None:
    async with open_adopted_chroma(server_settings(url), collection, NOTHING) as adopted:
        everything = await adopted.nearest(EAST, 100, EVERYTHING)
        stored: dict[str, Metadata] = {hit.chunk.id: hit.chunk.metadata for hit in everything}
        for filter_ in wanted:
            expected = {i for i, metadata in stored.items() if filter_.matches(metadata)}
            found = {hit.chunk.id for hit in await adopted.nearest(EAST, 100, filter_)}
            assert found == expected, filter_
