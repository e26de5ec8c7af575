"""Whole collections of other tools are read from Qdrant, and ours are left out."""

from collections.abc import AsyncIterator

import pytest
from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.errors import NotFound, RetrievalUnavailable
from sourcebook.ingestion.transfer.foreign import ForeignPoint
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.qdrant.ownership import our_collection
from sourcebook.providers.vector_stores.qdrant.reader import (
    PAGE_SIZE,
    ForeignQdrant,
    open_foreign_qdrant,
)
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings

NAMESPACE = "sourcebook-1a2b3c4d"
COUNT = PAGE_SIZE + 3
COSINE = models.VectorParams(size=3, distance=models.Distance.COSINE)


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    """A server with a collection of named vectors, and one of ours."""
    client = AsyncQdrantClient(":memory:")
    await client.create_collection("pages", vectors_config={"dense": COSINE, "other": COSINE})
    points = [
        models.PointStruct(
            id=number,
            vector={"dense": [1.0, 0.0, 0.0], "other": [0.0, 1.0, 0.0]},
            payload={"body": f"Text {number}", "note": "n", "metadata": {"source": "https://x/"}},
        )
        for number in range(COUNT)
    ]
    await client.upsert("pages", points)
    await client.create_collection(our_collection(NAMESPACE, "index"), vectors_config=COSINE)
    yield client
    await client.close()


def store(client: AsyncQdrantClient, **fields: str) -> ForeignQdrant:
    return ForeignQdrant(client, NAMESPACE, FieldMapping(vector="dense", **fields), 5.0)


async def test_only_collections_of_other_tools_are_listed(client: AsyncQdrantClient) -> None:
    assert await store(client).names() == ["pages"]


async def test_all_points_are_read_with_text_metadata_and_the_chosen_vector(
    client: AsyncQdrantClient,
) -> None:
    collection = await store(client).collection("pages")

    points = [point async for batch in collection.points() for point in batch]

    assert len(points) == await collection.count() == COUNT
    assert points[7] == ForeignPoint(
        id="7",
        text="Text 7",
        metadata={
            "note": "n",
            "metadata.source": "https://x/",
            "source_url": "https://x/",
        },
        vector=[1.0, 0.0, 0.0],
    )


async def test_the_field_of_the_text_can_be_named(client: AsyncQdrantClient) -> None:
    collection = await store(client, text="note").collection("pages")

    first = await anext(collection.points())

    assert (first[0].text, first[0].metadata["body"]) == ("n", "Text 0")


async def test_an_unknown_collection_names_those_that_are_there(client: AsyncQdrantClient) -> None:
    with pytest.raises(NotFound, match=r"It has \['pages'\]"):
        await store(client).collection("other")


async def test_a_server_that_is_down_is_named() -> None:
    settings = QdrantSettings(url="http://127.0.0.1:1")

    async with open_foreign_qdrant(settings, NAMESPACE, FieldMapping()) as down:
        with pytest.raises(RetrievalUnavailable, match="cannot be reached"):
            await down.names()
