"""Turns what a client or a command asks for into the request of a job."""

from sourcebook.core.jobs import JobRequest, Trigger
from sourcebook.surfaces.book.ingestion_schemas import TriggerIn
from sourcebook.surfaces.use_cases import UseCases


def job_request(use: UseCases, asked: TriggerIn, trigger: Trigger) -> JobRequest:
    """Return the request; without a book, it is for the one that is kept here."""
    return JobRequest(
        asked.book_id or use.book_rules.book_id,
        asked.mode,
        asked.docs_path,
        asked.force,
        trigger,
        patterns=None if asked.patterns is None else tuple(asked.patterns),
        # An empty pattern leaves nothing out: so a command line can say that.
        exclude=None if asked.exclude is None else tuple(filter(None, asked.exclude)),
    )
