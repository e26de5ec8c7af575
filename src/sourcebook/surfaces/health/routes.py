"""Routes for health, liveness, readiness and metrics."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.health.results import health_report
from sourcebook.surfaces.health.schemas import AliveOut, HealthOut

routes = APIRouter(tags=["health"])

UNHEALTHY: dict[int | str, dict[str, Any]] = {
    503: {"model": HealthOut, "description": "Nothing can be served"}
}


@routes.get("/health", response_model=HealthOut, responses=UNHEALTHY)
async def health(use: Using) -> Response:
    """Report the condition of every part and which models are loaded."""
    report = await health_report(use)
    status = 503 if report.status == "unhealthy" else 200
    # A field that does not apply is absent, not null: clients test for its presence.
    content = report.model_dump(mode="json", exclude_none=True)
    content["services"] = {k: v.model_dump(mode="json") for k, v in report.services.items()}
    return JSONResponse(content, status_code=status)


@routes.get("/livez")
async def live() -> AliveOut:
    """Tell that the process answers."""
    return AliveOut(status="alive")


@routes.get("/readyz", response_model=AliveOut, responses={503: {"model": AliveOut}})
async def ready(use: Using) -> Response:
    """Tell whether requests can be served now."""
    report = await health_report(use)
    if report.status == "unhealthy":
        return JSONResponse({"status": "not ready"}, status_code=503)
    return JSONResponse({"status": "ready"})


@routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, use: Using) -> Response:
    """Give the metrics in the format of Prometheus."""
    statistics = await use.statistics.read()
    # Thousands of lines take milliseconds, in which others would have to wait.
    content, media_type = await asyncio.to_thread(request.app.state.metrics.render, statistics)
    return Response(content, media_type=media_type)
