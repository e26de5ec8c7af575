"""Parses the replies of a Chroma server; ValueError if one does not fit."""

from itertools import repeat
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, TypeAdapter

from sourcebook.providers.vector_stores.chroma.client import ChromaCollection, ChromaRecord

Fields = dict[str, JsonValue]


class _Engine(BaseModel):
    space: str | None = None


class _Configuration(BaseModel):
    hnsw: _Engine | None = None
    spann: _Engine | None = None


class _Collection(BaseModel):
    id: str
    name: str
    metadata: Fields | None = None
    configuration_json: _Configuration = _Configuration()
    dimension: int | None = None

    def described(self) -> ChromaCollection:
        metadata = self.metadata or {}
        engine = self.configuration_json.hnsw or self.configuration_json.spann or _Engine()
        # Older versions wrote the space into the metadata.
        space = engine.space or str(metadata.get("hnsw:space", "l2"))
        return ChromaCollection(self.id, self.name, metadata, space, self.dimension)


class _Database(BaseModel):
    id: str
    name: str


class _Ids(BaseModel):
    ids: list[str]


class _Records(_Ids):
    metadatas: list[Fields | None]
    documents: list[str | None]
    embeddings: list[list[float]] | None = None


class _QueryResult(BaseModel):
    """One row for each vector that was searched for; we search for one."""

    ids: Annotated[list[list[str]], Field(min_length=1)]
    metadatas: Annotated[list[list[Fields | None]], Field(min_length=1)]
    documents: Annotated[list[list[str | None]], Field(min_length=1)]
    distances: Annotated[list[list[float]], Field(min_length=1)]


_COLLECTIONS = TypeAdapter(list[_Collection])
_COUNT = TypeAdapter(int)


def database_in(reply: object) -> str:
    return _Database.model_validate(reply).name


def collections_in(reply: object) -> list[ChromaCollection]:
    return [one.described() for one in _COLLECTIONS.validate_python(reply)]


def collection_in(reply: object) -> ChromaCollection:
    return _Collection.model_validate(reply).described()


def count_in(reply: object) -> int:
    return _COUNT.validate_python(reply)


def ids_in(reply: object) -> list[str]:
    return _Ids.model_validate(reply).ids


def records_in(reply: object) -> list[ChromaRecord]:
    """Read the reply of `get`."""
    found = _Records.model_validate(reply)
    vectors = repeat(()) if found.embeddings is None else found.embeddings
    return [
        ChromaRecord(record_id, metadata or {}, document, vector)
        for record_id, metadata, document, vector in zip(
            found.ids, found.metadatas, found.documents, vectors, strict=False
        )
    ]


def found_in(reply: object) -> list[ChromaRecord]:
    """Read the reply of `query` for one vector."""
    found = _QueryResult.model_validate(reply)
    rows = zip(
        found.ids[0], found.metadatas[0], found.documents[0], found.distances[0], strict=True
    )
    return [
        ChromaRecord(record_id, metadata or {}, document, distance=distance)
        for record_id, metadata, document, distance in rows
    ]
