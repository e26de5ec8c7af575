"""Routes of feedback: readers mark, administrators read and delete."""

import time
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from sourcebook.answering.feedback import DAY_S, MAX_MARKS, MAX_UNANSWERED
from sourcebook.core.errors import NotFound
from sourcebook.core.feedback import Mark
from sourcebook.surfaces.admin_key import ADMIN_KEY_SCHEME
from sourcebook.surfaces.chat import feedback_schemas as schemas
from sourcebook.surfaces.chat.errors import BODY, errors
from sourcebook.surfaces.chat.schemas import ClosestPlaceOut
from sourcebook.surfaces.dependencies import Using
from sourcebook.surfaces.rate_limits import rate_limits_of
from sourcebook.surfaces.route_classes import AdminRoute, JsonRoute
from sourcebook.surfaces.schema_types import utc_time

DEFAULT_LISTED = 100

routes = APIRouter(tags=["feedback"], route_class=JsonRoute)
admin = APIRouter(
    tags=["feedback"], route_class=AdminRoute, dependencies=[Depends(ADMIN_KEY_SCHEME)]
)


@routes.post("/feedback/marks", responses=errors(*BODY, 404, 429, 503))
async def mark(request: Request, body: schemas.MarkIn, use: Using) -> schemas.MarkedOut:
    """Keep what a reader thinks of an answer or a hit, where the operator allows it."""
    await rate_limits_of(request).count_mark(request)
    await use.feedback.mark(
        Mark(
            id=body.id,
            question=body.question,
            about=body.about,
            verdict=body.verdict,
            marked_at_s=time.time(),
            reason=body.reason.strip(),
            sources=tuple(dict.fromkeys(body.sources)),
        )
    )
    return schemas.MarkedOut(id=body.id)


@admin.get("/feedback/marks", responses=errors(400, 401, 429, 503))
async def list_marks(
    use: Using, limit: Annotated[int, Query(ge=1, le=MAX_MARKS)] = DEFAULT_LISTED
) -> schemas.MarksOut:
    """List the latest marks of readers."""
    rules = use.feedback.rules
    return schemas.MarksOut(
        kept=rules.takes_marks,
        retention_days=rules.max_age_s / DAY_S,
        marks=[_mark_out(one) for one in await use.feedback.marks(limit)],
    )


@admin.delete("/feedback/marks", responses=errors(401, 429, 503))
async def forget_marks(use: Using) -> schemas.ForgottenOut:
    """Delete all marks."""
    return schemas.ForgottenOut(deleted=await use.feedback.forget_marks())


@admin.get("/feedback/questions", responses=errors(400, 401, 429, 503))
async def list_unanswered(
    use: Using, limit: Annotated[int, Query(ge=1, le=MAX_UNANSWERED)] = DEFAULT_LISTED
) -> schemas.UnansweredOut:
    """List the questions that were not answered, the most frequent first."""
    rules = use.feedback.rules
    questions = [
        schemas.UnansweredQuestionOut(
            key=one.key,
            book_id=one.book_id,
            question=one.question,
            count=one.count,
            first_asked_at=utc_time(one.first_asked_at_s),
            last_asked_at=utc_time(one.last_asked_at_s),
            closest=[ClosestPlaceOut(**asdict(place)) for place in one.closest],
        )
        for one in await use.feedback.unanswered(limit)
    ]
    return schemas.UnansweredOut(
        kept=rules.keeps_unanswered,
        retention_days=rules.max_age_s / DAY_S,
        questions=questions,
    )


@admin.delete("/feedback/questions", responses=errors(401, 429, 503))
async def forget_all_unanswered(use: Using) -> schemas.ForgottenOut:
    """Delete all questions that were not answered."""
    return schemas.ForgottenOut(deleted=await use.feedback.forget_unanswered())


@admin.delete("/feedback/questions/{key}", responses=errors(401, 404, 429, 503))
async def forget_unanswered(
    key: Annotated[str, Path(description="As the list has it")], use: Using
) -> schemas.ForgottenOut:
    """Delete a question that was not answered, once the book does."""
    deleted = await use.feedback.forget_unanswered(key)
    if not deleted:
        raise NotFound(f"There is no unanswered question with the key {key[:64]!r}")
    return schemas.ForgottenOut(deleted=deleted)


def _mark_out(one: Mark) -> schemas.MarkOut:
    return schemas.MarkOut(
        id=one.id,
        question=one.question,
        about=one.about,
        verdict=one.verdict,
        reason=one.reason,
        sources=list(one.sources),
        marked_at=utc_time(one.marked_at_s),
    )
