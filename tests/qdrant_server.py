"""A server on loopback that speaks Qdrant's REST, with the client's in-memory mode behind it.

It is strict, as Qdrant Cloud is: a filter on a key without a payload index is refused.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from pydantic import BaseModel
from qdrant_client import AsyncQdrantClient, models
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

CANARY = "canary-far-side"
START_TIMEOUT_S = 10


@dataclass(slots=True)
class QdrantServer:
    """What the server holds and was asked. `fail_with` answers everything with that status.

    With `reply_with` it is something else that answers everything so.
    """

    client: AsyncQdrantClient
    key: str | None = None
    fail_with: int | None = None
    reply_with: str | None = None
    refuse_writes_after: int | None = None
    hang: bool = False
    strict: models.StrictModeConfigOutput = field(
        default_factory=lambda: models.StrictModeConfigOutput(
            enabled=True,
            unindexed_filtering_retrieve=False,
            max_query_limit=1_500,
            upsert_max_batchsize=100,
        )
    )
    indexes: dict[str, dict[str, object]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: Request) -> Response:
        """Answer one request, as a server would."""
        route = request.url.path.removeprefix("/collections").strip("/").split("/")
        called = f"{request.method} {'/'.join(route[1:])}".strip()
        self.calls.append(called)
        if self.hang:
            await asyncio.Event().wait()
        if self.reply_with is not None:
            return Response(self.reply_with)
        if self.fail_with is not None:
            return _failure(self.fail_with)
        if self.key is not None and request.headers.get("api-key") != self.key:
            return _failure(401)
        try:
            return _reply(await self._do(called, route[0], await request.body()))
        except ValueError as error:
            return _failure(404 if "not found" in str(error) else 400)

    async def _do(self, called: str, name: str, body: bytes) -> object:  # noqa: PLR0911, PLR0912 - routes
        client = self.client
        match called:
            case "GET" if not name:
                return await client.get_collections()
            case "GET":
                return await self._info(name)
            case "GET exists":
                return {"exists": await client.collection_exists(name)}
            case "PUT":
                return await self._create(name, models.CreateCollection.model_validate_json(body))
            case "DELETE":
                self.indexes.pop(name, None)
                return await client.delete_collection(name)
            case "PUT index":
                wanted = models.CreateFieldIndex.model_validate_json(body)
                self.indexes[name][wanted.field_name] = wanted.field_schema
                return {"operation_id": 0, "status": "completed"}
            case "PUT points":
                return await self._write(name, models.PointsList.model_validate_json(body))
            case "POST points":
                wanted_points = models.PointRequest.model_validate_json(body)
                records = await client.retrieve(
                    name,
                    wanted_points.ids,
                    with_payload=wanted_points.with_payload or False,
                    with_vectors=wanted_points.with_vector or False,
                )
                return [json.loads(record.model_dump_json()) for record in records]
            case "POST points/delete":
                ids = models.PointIdsList.model_validate_json(body)
                return await client.delete(name, ids)
            case "POST points/count":
                return await client.count(name)
            case "POST points/query":
                query = models.QueryRequest.model_validate_json(body)
                self._check(name, query.filter, query.limit)
                return await client.query_points(
                    name,
                    query=query.query,
                    using=query.using,
                    limit=query.limit or 10,
                    offset=query.offset,
                    query_filter=query.filter,
                    with_payload=query.with_payload or False,
                )
            case "POST points/scroll":
                scroll = models.ScrollRequest.model_validate_json(body)
                self._check(name, scroll.filter, scroll.limit)
                found, following = await client.scroll(
                    name,
                    scroll_filter=scroll.filter,
                    limit=scroll.limit or 10,
                    offset=scroll.offset,
                    with_payload=scroll.with_payload or False,
                    with_vectors=scroll.with_vector or False,
                )
                points = [json.loads(point.model_dump_json()) for point in found]
                return {"points": points, "next_page_offset": following}
            case _:
                raise ValueError(f"{called} not found")

    async def _create(self, name: str, wanted: models.CreateCollection) -> bool:
        await self.client.create_collection(
            name,
            vectors_config=wanted.vectors,
            sparse_vectors_config=wanted.sparse_vectors,
            metadata=wanted.metadata,
        )
        self.indexes[name] = {}
        return True

    async def _info(self, name: str) -> models.CollectionInfo:
        info = await self.client.get_collection(name)
        info.config.strict_mode_config = self.strict
        info.payload_schema = {
            key: models.PayloadIndexInfo(data_type=_type(schema), points=0)
            for key, schema in self.indexes.get(name, {}).items()
        }
        return info

    async def _write(self, name: str, wanted: models.PointsList) -> object:
        if self.refuse_writes_after == 0:
            raise ValueError("refused")
        if self.refuse_writes_after is not None:
            self.refuse_writes_after -= 1
        most = self.strict.upsert_max_batchsize
        if self.strict.enabled and most is not None and len(wanted.points) > most:
            raise ValueError("too many points")
        return await self.client.upsert(name, wanted.points)

    def _check(self, name: str, filter_: models.Filter | None, limit: int | None) -> None:
        if not self.strict.enabled:
            return
        if limit is not None and not 1 <= limit <= (self.strict.max_query_limit or limit):
            raise ValueError("limit")
        if not set(_keys(filter_)) <= self.indexes.get(name, {}).keys():
            raise ValueError("a key is not indexed")


@asynccontextmanager
async def qdrant_server(key: str | None = None) -> AsyncIterator[QdrantServer]:
    """A server that is up until it is left."""
    client = AsyncQdrantClient(":memory:")
    server = QdrantServer(client, key)
    app = Starlette(
        routes=[
            Route(path, server.handle, methods=["GET", "PUT", "POST", "DELETE"])
            for path in ("/collections", "/collections/{rest:path}")
        ]
    )
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=0)
    listening = socket.create_server(("127.0.0.1", 0))
    server.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    uvicorn_server = uvicorn.Server(config)
    serving = asyncio.create_task(uvicorn_server._serve([listening]))
    async with asyncio.timeout(START_TIMEOUT_S):
        while not uvicorn_server.started:  # noqa: ASYNC110 - it does not tell
            await asyncio.sleep(0.001)
    try:
        yield server
    finally:
        uvicorn_server.should_exit = True
        await serving
        listening.close()
        await client.close()


def _reply(result: object) -> Response:
    plain = json.loads(result.model_dump_json()) if isinstance(result, BaseModel) else result
    return JSONResponse({"result": plain, "status": "ok", "time": 0.0})


def _failure(status: int) -> Response:
    return JSONResponse({"status": {"error": f"the far side says: {CANARY}"}}, status)


def _type(schema: object) -> models.PayloadSchemaType:
    named = schema.type if isinstance(schema, models.KeywordIndexParams) else schema
    return models.PayloadSchemaType(getattr(named, "value", named))


def _keys(filter_: models.Filter | None) -> Iterator[str]:
    for conditions in () if filter_ is None else (filter_.must, filter_.should, filter_.must_not):
        for condition in conditions if isinstance(conditions, list) else []:
            if isinstance(condition, models.Filter):
                yield from _keys(condition)
            elif isinstance(condition, models.FieldCondition):
                yield condition.key
