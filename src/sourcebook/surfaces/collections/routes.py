"""Routes of the collections contract."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from sourcebook.core.documents import Document
from sourcebook.core.errors import ModelNotLoaded
from sourcebook.core.text import check_text
from sourcebook.search.reranking import rank
from sourcebook.surfaces.cancellation import cancel_on_disconnect
from sourcebook.surfaces.collections import results, schemas
from sourcebook.surfaces.collections.errors import BODY, WRITE, errors
from sourcebook.surfaces.collections.filters import parse_filter, parse_filter_text
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.long_replies import in_turns
from sourcebook.surfaces.rate_limits import limit_searches, take_page_slot
from sourcebook.surfaces.route_classes import JsonRoute, WriteRoute

MAX_PAGE = 1_000
MAX_OFFSET = 10**15
PREFIXES = ("/collections", "/query", "/rerank", "/collect", "/topic")

reads = APIRouter(tags=["collections"], route_class=JsonRoute)
writes = APIRouter(tags=["collections"], route_class=WriteRoute)


@writes.post("/collections", responses=errors(*BODY, *WRITE, 409, 503))
async def create_collection(body: schemas.CreateCollectionIn, use: Using) -> schemas.CreatedOut:
    """Create a collection that embeds with one of the loaded models."""
    created = await use.catalog.create(body.name, body.all_metadata(), body.embedding_model)
    return schemas.CreatedOut(name=created.name, metadata=dict(created.metadata))


@reads.get("/collections", responses=errors(400, 503), response_model_exclude_unset=True)
async def list_collections(
    use: Using,
    after: Annotated[
        str | None, Query(description="Only collections whose names come after this one")
    ] = None,
) -> schemas.CollectionsOut:
    """List all collections by name."""
    return results.collections_out(use, await use.catalog.all(), after)


@reads.get("/collections/{name}", responses=errors(404, 503))
async def get_collection(name: str, use: Using) -> schemas.CollectionOut:
    """Describe a collection."""
    return results.collection_out(use, await use.catalog.get(name))


@writes.delete("/collections/{name}", responses=errors(*WRITE, 404, 409, 503))
async def delete_collection(name: str, use: Using) -> schemas.DeletedOut:
    """Delete a collection with all its documents."""
    await use.catalog.delete(name)
    return schemas.DeletedOut(name=name)


@writes.put("/collections/{name}/metadata", responses=errors(*BODY, *WRITE, 404, 409, 503))
async def update_metadata(
    name: str, body: schemas.UpdateMetadataIn, use: Using, merge: bool = False
) -> schemas.UpdatedOut:
    """Replace the metadata, or merge into them.

    `embedding_model` stays unless it is named. Naming another loaded model marks the collection
    as `reindex_required`: it takes no documents, and answers with the old model until then.
    """
    changed = await use.catalog.set_metadata(name, body.metadata, merge=merge)
    return schemas.UpdatedOut(
        name=name,
        metadata=dict(changed.metadata),
        merge=merge,
        reindex_required=use.models.reindex_required(changed),
    )


@writes.post("/collections/{name}/documents", responses=errors(*BODY, *WRITE, 404, 409, 503))
async def add_documents(name: str, body: schemas.AddDocumentsIn, use: Using) -> schemas.AddedOut:
    """Embed and store documents, all or none. A document whose id is known replaces it."""
    documents = [_document(given) for given in body.documents]
    await use.catalog.check_writable(name)
    await use.ingestor.add(name, documents)
    ids = [document.id for document in documents]
    return schemas.AddedOut(collection=name, count=len(ids), ids=ids)


@reads.get(
    "/collections/{name}/documents",
    response_model=schemas.DocumentsOut,
    responses=errors(400, 404, 409, 429, 503),
    dependencies=[Depends(take_page_slot)],
)
async def find_documents(
    name: str,
    use: Using,
    where: Annotated[
        str | None, Query(description='A filter as JSON, e.g. {"section_id": "intro"}')
    ] = None,
    limit: Annotated[int, Query(ge=1, description="At most 1000; more is cut to that")] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
) -> StreamingResponse:
    """Find documents by their metadata alone, in the order in which they were first posted."""
    filter_ = parse_filter_text(where)
    limit = min(limit, MAX_PAGE)
    page = await use.catalog.documents(name, filter_, limit, offset)
    return in_turns(results.documents_json(page, limit, offset), "application/json")


@writes.delete("/collections/{name}/documents/all", responses=errors(*WRITE, 404, 409, 503))
async def delete_all_documents(name: str, use: Using) -> schemas.EmptiedOut:
    """Delete all documents of a collection in one step and keep the collection."""
    await use.catalog.check_writable(name)
    return schemas.EmptiedOut(collection=name, count_deleted=await use.ingestor.empty(name))


@writes.delete("/collections/{name}/documents", responses=errors(*BODY, *WRITE, 404, 409, 503))
async def delete_documents(
    name: str,
    use: Using,
    ids: Annotated[
        list[str], Field(fail_fast=True), Body(strict=True, examples=[["doc_1", "doc_2"]])
    ],
) -> schemas.DocumentsDeletedOut:
    """Delete documents by id; the body is a plain array of ids."""
    for id_ in ids:
        check_text(id_, "id")
    await use.catalog.check_writable(name)
    count = await use.ingestor.delete(name, ids)
    return schemas.DocumentsDeletedOut(collection=name, count=count)


@reads.get(
    "/collections/{name}/metadata-values",
    responses=errors(400, 404, 409, 503),
    response_model_exclude_unset=True,
)
async def metadata_values(
    name: str,
    use: Using,
    field: Annotated[str, Query(min_length=1, max_length=256)],
    after: Annotated[str | None, Query(description="Only values that come after this one")] = None,
) -> schemas.FieldValuesOut:
    """List the distinct values of a metadata field, as sorted text."""
    check_text(field, "'field'")
    values = await use.catalog.field_values(name, field)
    return results.values_out(field, [one for one in values if after is None or one > after])


@reads.get("/query", responses=errors(503))
async def readiness(use: Using) -> schemas.ReadyOut:
    """Tell that questions can be asked (some orchestrators probe this path)."""
    return schemas.ReadyOut(collections=len(await use.catalog.all()))


@reads.post(
    "/query",
    responses=errors(*BODY, 404, 429, 503),
    response_model_exclude_unset=True,
    dependencies=[Depends(limit_searches)],
)
async def query(body: schemas.QueryIn, use: Using) -> schemas.QueryOut:
    """Find the documents that fit a question best, by meaning and words, or as a reranker says."""
    check_text(body.query, "'query'")
    filter_ = parse_filter(body.where or {})
    found = await use.searcher.search(
        body.collection, body.query, body.top_k, filter_, mode=body.mode
    )
    return results.query_out(found, explained=body.explain)


@reads.post("/rerank", responses=errors(*BODY, 503))
async def rerank(request: Request, body: schemas.RerankIn, use: Using) -> schemas.RerankOut:
    """Put texts in the order in which the cross-encoder finds that they answer the question."""
    if use.reranker is None:
        raise ModelNotLoaded("Cross-encoder not loaded. Start server with --cross-encoder flag.")
    candidates = [(item.id, item.text) for item in body.documents]
    async with cancel_on_disconnect(request):
        ranked = await rank(use.reranker, body.query, candidates, body.top_k)
    return schemas.RerankOut(
        reranked=[
            schemas.RankedOut(id=item.id, score=item.score, original_rank=item.original_rank)
            for item in ranked
        ]
    )


def _document(given: schemas.DocumentIn) -> Document:
    id_ = f"doc_{uuid.uuid4()}" if given.id is None else given.id
    return Document(id=id_, text=given.text, metadata=given.metadata or {})
