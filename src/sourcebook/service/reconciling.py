"""Looks again and again whether the book has changed: pushes that nobody told us of count too."""

import asyncio
import logging

from sourcebook.core.errors import SourcebookError
from sourcebook.core.jobs import JobRequest
from sourcebook.ingestion.book_desk import BookDesk
from sourcebook.service.book import BookConfig

log = logging.getLogger(__name__)


async def reconcile_for_ever(desk: BookDesk, config: BookConfig) -> None:
    """Look at once, and then every few minutes."""
    while True:
        await reconcile(desk, config.rules.book_id)
        await asyncio.sleep(config.reconcile_every_s)


async def reconcile(desk: BookDesk, book_id: str) -> None:
    """Order a run if the book differs from what is indexed of it."""
    request = JobRequest(book_id, trigger="reconcile")
    try:
        changes = (await desk.preview(request)).changes
        if changes.new or changes.modified or changes.deleted:
            await desk.order(request)
    except SourcebookError as error:
        log.warning("reconcile_failed", extra={"book": book_id, "reason": error.message})
