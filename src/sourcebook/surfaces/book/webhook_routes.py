"""The route that GitHub calls: a push to the book's branch queues an ingestion run."""

from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from sourcebook.core.errors import AlreadyExists
from sourcebook.core.jobs import JobRequest
from sourcebook.surfaces.book import ingestion_schemas as schemas
from sourcebook.surfaces.book import webhook_parsing as deliveries
from sourcebook.surfaces.book.errors import BODY, WebhookDisabled, errors
from sourcebook.surfaces.book.ingestion_results import ordered_out
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.use_cases import UseCases, WebhookRules

PATH = "/ingestion/webhook/github"

hooks = APIRouter(tags=["ingestion"])

# For the OpenAPI document: the body is read as bytes, so FastAPI cannot describe it.
_OPENAPI: dict[str, Any] = {
    "parameters": [
        {
            "name": name,
            "in": "header",
            "required": required,
            "schema": {"type": "string"},
            "description": description,
        }
        for name, required, description in (
            ("X-Hub-Signature-256", True, "sha256= and the HMAC of the body's bytes, in hex"),
            ("X-GitHub-Event", True, "`push` is acted on and `ping` answered; others are ignored"),
            ("X-GitHub-Delivery", False, "Not used: a delivery is known by its signed body"),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"ref": {"type": "string"}},
                    "required": ["ref"],
                },
                "example": {
                    "ref": "refs/heads/main",
                    "deleted": False,
                    "repository": {"default_branch": "main"},
                },
            },
            deliveries.FORM: {
                "schema": {
                    "type": "object",
                    "properties": {"payload": {"type": "string"}},
                    "required": ["payload"],
                }
            },
        },
    },
}


@hooks.post(
    PATH,
    status_code=202,
    response_model=schemas.OrderedOut,
    responses={
        200: {"model": schemas.WebhookOut, "description": "There was nothing to do"},
        **errors(*BODY, 401, 409, 503),
    },
    openapi_extra=_OPENAPI,
)
async def github(request: Request, use: Using) -> Response:
    """Queue an incremental run when the book's branch was pushed to.

    200 if there is nothing to do: a `ping`, another event, repository or branch, a delivery that
    is known.
    """
    rules = _webhook_rules(use)
    signature = deliveries.given_signature(request.headers)
    body = await _whole_body(request)
    deliveries.check_signature(rules.secret, signature, body)
    event = request.headers.get("x-github-event", "")
    if event == "ping":
        return _done(schemas.WebhookOut(status="ok"))
    if event != "push":
        return _ignored("Only pushes are acted on")
    push = deliveries.parse_push(request.headers.get("content-type", ""), body)
    if reason := push.reason_to_ignore(rules):
        return _ignored(reason)
    return await _pushed(use, deliveries.delivery_id(body))


async def _pushed(use: UseCases, delivery_id: str) -> Response:
    book_id = use.book_rules.book_id
    try:
        job = await use.book_jobs.submit(JobRequest(book_id, trigger="webhook"), delivery_id)
    except AlreadyExists:
        return await _replayed(use, book_id)
    return JSONResponse(ordered_out(job).model_dump(), status_code=202)


async def _replayed(use: UseCases, book_id: str) -> Response:
    newest = await use.book_jobs.recent(1, book_id)
    if not newest:
        return _ignored("This delivery was taken already")
    return _done(schemas.WebhookOut(status=newest[0].status, job_id=newest[0].id))


def _webhook_rules(use: UseCases) -> WebhookRules:
    rules = use.book_rules.webhook
    # An empty secret is none: anybody could sign with it.
    if rules is None or not rules.secret:
        raise WebhookDisabled(
            "The webhook is disabled: set GITHUB_WEBHOOK_SECRET to the secret that GitHub has"
        )
    return rules


async def _whole_body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise HTTPException(400, "The body did not arrive whole") from None


def _ignored(reason: str) -> Response:
    return _done(schemas.WebhookOut(status="ignored", reason=reason))


def _done(reply: schemas.WebhookOut) -> Response:
    return JSONResponse(reply.model_dump(exclude_none=True))
