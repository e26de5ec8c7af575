"""An adopted Qdrant collection, filled as another tool would fill it."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.providers.vector_stores.adopted import AdoptedReader
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.qdrant.reader import (
    ForeignQdrant,
    ForeignQdrantCollection,
    open_adopted_qdrant,
)
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.testing.filter_examples import filters, metadata
from sourcebook.testing.points import SPEC
from tests.fuzz.profile import trying
from tests.qdrant_server import qdrant_server

NAMESPACE = "sourcebook-1a2b3c4d"
NAME = "rag_embedding"
EAST, NORTH, SLANTED = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]
COSINE = models.VectorParams(size=3, distance=models.Distance.COSINE)


def page(n: int, **fields: JsonValue) -> dict[str, JsonValue]:
    """A payload as spec 004's tool writes it."""
    named: dict[str, JsonValue] = {
        "source_url": f"https://book.example/{n}",
        "page_title": f"Page {n}",
        "section_heading": "Start",
        "chunk_text": f"Text {n}",
    }
    return named | fields


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    client = AsyncQdrantClient(":memory:")
    yield client
    await client.close()


async def fill(
    client: AsyncQdrantClient,
    payloads: Sequence[Metadata],
    vectors: Sequence[list[float]] | None = None,
    config: models.VectorParams = COSINE,
) -> None:
    await client.create_collection(NAME, vectors_config=config)
    dense = vectors or [EAST] * len(payloads)
    points = [
        models.PointStruct(id=n, vector=dense[n], payload={**payload})
        for n, payload in enumerate(payloads)
    ]
    if points:
        await client.upsert(NAME, points)


async def adopt(client: AsyncQdrantClient, mapping: FieldMapping | None = None) -> AdoptedReader:
    found = await find(client, NAME, mapping or FieldMapping())
    assert found is not None
    return await found.adopted()


async def find(
    client: AsyncQdrantClient, name: str, mapping: FieldMapping
) -> ForeignQdrantCollection | None:
    return await ForeignQdrant(client, NAMESPACE, mapping, timeout_s=30.0).find(name)


async def found(adopted: AdoptedReader, filter_: Filter, limit: int = 100) -> list[str]:
    return [hit.chunk.id for hit in await adopted.nearest(EAST, limit, filter_)]


async def test_a_collection_of_spec_004_is_read_without_a_mapping(
    client: AsyncQdrantClient,
) -> None:
    await fill(client, [page(0), page(1)], [NORTH, SLANTED])
    adopted = await adopt(client)
    assert (adopted.name, adopted.model, adopted.dimensions) == (NAME, None, 3)
    assert await adopted.count() == 2
    best, second = await adopted.nearest(EAST, 5, EVERYTHING)
    assert (best.chunk.id, best.chunk.text) == ("1", "Text 1")
    assert best.chunk.document_id == "https://book.example/1"
    assert best.chunk.metadata == {
        "source_url": "https://book.example/1",
        "page_title": "Page 1",
        "section_heading": "Start",
    }
    assert best.cosine == pytest.approx(0.6, abs=1e-6)
    assert second.cosine == pytest.approx(0.0, abs=1e-6)


async def test_nested_metadata_are_read_by_dotted_names_and_by_ours(
    client: AsyncQdrantClient,
) -> None:
    about: Metadata = {"source": "guide.pdf", "page": 3, "loc": {"line": 1}}
    await fill(client, [{"page_content": "Text", "metadata": {**about}}])
    [hit] = await (await adopt(client)).nearest(EAST, 5, EVERYTHING)
    assert hit.chunk.text == "Text"
    assert hit.chunk.metadata == {
        "metadata.source": "guide.pdf",
        "metadata.page": 3,
        "metadata.loc": {"line": 1},
        "source_url": "guide.pdf",
    }


async def test_what_the_mapping_says_wins_over_common_names(client: AsyncQdrantClient) -> None:
    fields: Metadata = {
        "body": "Right",
        "text": "Wrong",
        "meta": {"ids": {"doc": "D7"}},
        "href": "u",
    }
    await fill(client, [{**fields, "source_url": "wrong"}])
    mapping = FieldMapping(text="body", source_url="href", document="meta.ids.doc")
    adopted = await adopt(client, mapping)
    [hit] = await adopted.nearest(EAST, 5, EVERYTHING)
    assert (hit.chunk.text, hit.chunk.document_id) == ("Right", "D7")
    assert hit.chunk.metadata["source_url"] == "u"
    assert await found(adopted, OneOf("source_url", ("u",))) == ["0"]
    assert await found(adopted, OneOf("source_url", ("wrong",))) == []


async def test_points_without_text_are_no_chunks(client: AsyncQdrantClient) -> None:
    empty: list[Metadata] = [
        {},
        page(0, chunk_text=""),
        page(0, chunk_text=7),
        page(0, chunk_text=" "),
    ]
    await fill(client, [*empty, page(4)])
    assert await found(await adopt(client), EVERYTHING, limit=1) == ["4"]


async def test_a_collection_that_is_filled_later_is_read_by_common_names(
    client: AsyncQdrantClient,
) -> None:
    await fill(client, [])
    adopted = await adopt(client)
    late = models.PointStruct(id=5, vector=EAST, payload={"content": "Late", "url": "u"})
    await client.upsert(NAME, [late])
    assert await found(adopted, OneOf("source_url", ("u",))) == ["5"]


async def test_what_qdrant_cannot_filter_is_looked_for_further_down(
    client: AsyncQdrantClient,
) -> None:
    others = [page(n, tier=1) for n in range(200)]
    await fill(client, [*others, page(200)], [*([EAST] * 200), NORTH])
    assert await found(await adopt(client), Not(Compare("tier", "gte", 1)), limit=3) == ["200"]


@pytest.mark.parametrize(
    ("distance", "cosine"), [(models.Distance.DOT, 0.6), (models.Distance.EUCLID, 0.6)]
)
async def test_scores_of_other_distances_become_cosines(
    client: AsyncQdrantClient, distance: models.Distance, cosine: float
) -> None:
    config = models.VectorParams(size=3, distance=distance)
    await fill(client, [page(0), page(1)], [NORTH, SLANTED], config)
    # The length of a question's vector must not matter either.
    hits = await (await adopt(client)).nearest([7.0, 0.0, 0.0], 5, EVERYTHING)
    assert [hit.chunk.id for hit in hits] == ["1", "0"]
    assert hits[0].cosine == pytest.approx(cosine, abs=1e-6)


@pytest.mark.parametrize("distance", [models.Distance.DOT, models.Distance.EUCLID])
async def test_scores_that_are_no_cosines_are_refused(
    client: AsyncQdrantClient, distance: models.Distance
) -> None:
    await fill(client, [page(0)], [[3.0, 0.0, 0.0]], models.VectorParams(size=3, distance=distance))
    with pytest.raises(ConfigurationError, match="not of length one"):
        await adopt(client)


async def test_manhattan_distance_is_refused(client: AsyncQdrantClient) -> None:
    await fill(client, [], config=models.VectorParams(size=3, distance=models.Distance.MANHATTAN))
    with pytest.raises(ConfigurationError, match="Manhattan"):
        await adopt(client)


async def test_the_only_named_vector_is_taken(client: AsyncQdrantClient) -> None:
    await client.create_collection(NAME, vectors_config={"text": COSINE})
    await client.upsert(NAME, [models.PointStruct(id=1, vector={"text": EAST}, payload=page(1))])
    assert await found(await adopt(client), EVERYTHING) == ["1"]


async def test_one_of_several_vectors_must_be_named(client: AsyncQdrantClient) -> None:
    wide = models.VectorParams(size=5, distance=models.Distance.DOT)
    await client.create_collection(NAME, vectors_config={"text": wide, "title": COSINE})
    points = [models.PointStruct(id=1, vector={"title": EAST}, payload=page(1))]
    await client.upsert(NAME, points)
    for unknown in (None, "body"):
        with pytest.raises(ConfigurationError, match=r"\['text', 'title'\]"):
            await adopt(client, FieldMapping(vector=unknown))
    adopted = await adopt(client, FieldMapping(vector="title"))
    assert adopted.dimensions == 3
    assert await found(adopted, EVERYTHING) == ["1"]


async def test_a_collection_that_is_not_there_is_not_adopted(client: AsyncQdrantClient) -> None:
    assert await find(client, NAME, FieldMapping()) is None


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
async def test_our_own_collections_are_not_adopted(client: AsyncQdrantClient) -> None:
    for namespace in (NAMESPACE, "sourcebook-of-others"):
        await QdrantStore(client, namespace).create(SPEC)
    listed = [c.name for c in (await client.get_collections()).collections]
    assert len(listed) == 2
    for ours in listed:
        assert await find(client, ours, FieldMapping()) is None


async def test_a_collection_that_vanishes_says_so(client: AsyncQdrantClient) -> None:
    await fill(client, [page(0)])
    adopted = await adopt(client)
    assert (await adopted.check()).status == "up"
    await client.delete_collection(NAME)
    assert (await adopted.check()).status == "down"
    with pytest.raises(RetrievalUnavailable, match=f"no collection '{NAME}'"):
        await adopted.nearest(EAST, 5, EVERYTHING)


async def test_a_question_of_the_wrong_length_is_refused(client: AsyncQdrantClient) -> None:
    await fill(client, [page(0)])
    with pytest.raises(RetrievalUnavailable, match="2 dimensions, not 3"):
        await (await adopt(client)).nearest([1.0, 0.0], 5, EVERYTHING)


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        (OneOf("source_url", ("https://book.example/1",)), ["1"]),
        (OneOf("page_title", ("Page 0", "Page 2")), ["0", "2"]),
        (AllOf((OneOf("section_heading", ("Start",)), OneOf("tier", (2,)))), ["2"]),
        (Compare("tier", "gt", math.inf), []),
        (OneOf("chunk_text", ("Text 1",)), []),
        (AnyOf(()), []),
    ],
)
async def test_filters_name_our_fields_and_theirs(
    client: AsyncQdrantClient, filter_: Filter, expected: list[str]
) -> None:
    await fill(client, [page(n, tier=float(n)) for n in range(3)])
    assert sorted(await found(await adopt(client), filter_)) == expected


@pytest.mark.parametrize("indexed", [False, True])
async def test_a_server_that_refuses_unindexed_filters_is_asked_for_none(indexed: bool) -> None:
    async with qdrant_server() as server:
        await fill(server.client, [page(n) for n in range(200)])
        server.indexes[NAME] = {"source_url": models.PayloadSchemaType.KEYWORD} if indexed else {}
        settings_ = QdrantSettings(url=server.url)
        async with open_adopted_qdrant(settings_, NAME, FieldMapping(), NAMESPACE) as adopted:
            wanted = OneOf("source_url", ("https://book.example/150",))
            [hit] = await adopted.nearest(EAST, 1, wanted)
    assert hit.chunk.text == "Text 150"
    # A filter that the server applies needs one look, others need several.
    assert (server.calls.count("POST points/query") == 1) == indexed
    assert not [call for call in server.calls if call.startswith(("PUT", "DELETE"))]


async def test_no_more_is_asked_for_than_the_server_allows() -> None:
    async with qdrant_server() as server:
        await fill(server.client, [page(n) for n in range(1_600)])
        settings_ = QdrantSettings(url=server.url)
        async with open_adopted_qdrant(settings_, NAME, FieldMapping(), NAMESPACE) as adopted:
            assert await adopted.nearest(EAST, 1, OneOf("page_title", ("nowhere",))) == []
            assert len(await adopted.nearest(EAST, 5_000, EVERYTHING)) == 1_500


@pytest.mark.parametrize(
    ("fields", "filter_"),
    [
        ({"a.b": "x"}, OneOf("a.b", ("x",))),
        ({"a": {"b": "x"}}, OneOf("a.b", ("x",))),
        ({"tier": 2**53 + 1}, OneOf("tier", (2**53,))),
        ({"tier": 2**53 + 1}, Compare("tier", "lte", 2**53)),
        ({"tier": 1.0}, OneOf("tier", (1,))),
        ({"tier": [3, "x"]}, OneOf("tier", ("x",))),
        ({"draft": True}, OneOf("draft", (True,))),
        ({"odd name": "x"}, OneOf("odd name", ("x",))),
        ({"tier": 1}, Compare("tier", "lt", math.inf)),
    ],
)
async def test_no_point_is_lost_to_what_qdrant_reads_otherwise(
    client: AsyncQdrantClient, fields: dict[str, JsonValue], filter_: Filter
) -> None:
    await fill(client, [page(0, **fields)])
    assert await found(await adopt(client), filter_) == ["0"]


def opened(payload: Metadata) -> dict[str, JsonValue]:
    """What a reader sees of a payload: its objects opened once."""
    inner: dict[str, JsonValue] = {}
    for name, value in payload.items():
        if isinstance(value, dict):
            inner.update({f"{name}.{key}": nested for key, nested in value.items()})
    return inner | {name: value for name, value in payload.items() if not isinstance(value, dict)}


@trying(short=150, long=3_000)
@given(st.lists(metadata(), min_size=1, max_size=12), st.lists(filters(), min_size=1, max_size=8))
def test_every_filter_agrees_with_its_meaning(
    payloads: list[Metadata], wanted: list[Filter]
) -> None:
    async def compare() -> None:
        client = AsyncQdrantClient(":memory:")
        await fill(client, [{**payload, "chunk_text": "x"} for payload in payloads])
        adopted = await adopt(client)
        for filter_ in wanted:
            expected = [str(n) for n, p in enumerate(payloads) if filter_.matches(opened(p))]
            assert sorted(await found(adopted, filter_)) == sorted(expected), filter_
        await client.close()

    asyncio.run(compare())
