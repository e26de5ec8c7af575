"""Routes that change the embedding model of a collection, and roll the change back."""

from fastapi import APIRouter, Response

from sourcebook.surfaces.collections.errors import BODY, WRITE, errors
from sourcebook.surfaces.collections.reindex_results import ordered_out, reindex_out, unchanged_out
from sourcebook.surfaces.collections.reindex_schemas import OrderedReindexOut, ReindexIn, ReindexOut
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.route_classes import JsonRoute, WriteRoute

reads = APIRouter(tags=["collections"], route_class=JsonRoute)
writes = APIRouter(tags=["collections"], route_class=WriteRoute)


@writes.post(
    "/collections/{name}/reindex",
    status_code=202,
    responses={
        200: {"model": OrderedReindexOut, "description": "There is nothing to do"},
        **errors(*BODY, *WRITE, 404, 409, 503),
    },
)
async def reindex(
    name: str, response: Response, use: Using, body: ReindexIn | None = None
) -> OrderedReindexOut:
    """Change the collection to another loaded model.

    A job builds a new index from the stored texts beside the one in use. Questions are answered
    with the old model until it is complete; documents may come and go meanwhile.
    """
    await use.catalog.check_writable(name)
    asked = None if body is None else body.embedding_model
    job = await use.reindex_jobs.submit(name, asked)
    if job is not None:
        return ordered_out(name, job)
    response.status_code = 200
    return unchanged_out(await use.catalog.get(name))


@reads.get("/collections/{name}/reindex", responses=errors(404, 503))
async def reindex_status(name: str, use: Using) -> ReindexOut:
    """Tell how far the latest re-indexing is, and whether there is a way back."""
    found = await use.reindex_jobs.status(name)
    return reindex_out(found, required=use.models.reindex_required(found.collection))


@writes.post(
    "/collections/{name}/reindex/rollback",
    status_code=202,
    responses=errors(*WRITE, 404, 409, 503),
)
async def roll_back(name: str, use: Using) -> OrderedReindexOut:
    """Go back to the model and the index that the collection had before the last change.

    What was written since comes along. The index that it leaves is kept in turn.
    """
    await use.catalog.check_writable(name)
    return ordered_out(name, await use.reindex_jobs.roll_back(name))


@writes.post(
    "/collections/{name}/reindex/cancel",
    status_code=202,
    responses=errors(*WRITE, 404, 409, 503),
)
async def cancel_reindex(name: str, use: Using) -> OrderedReindexOut:
    """End the job that waits or runs; the collection stays as it is."""
    await use.catalog.check_writable(name)
    return ordered_out(name, await use.reindex_jobs.cancel(name))
