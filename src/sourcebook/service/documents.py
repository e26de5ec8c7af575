"""The use cases around the documents that tools post."""

from dataclasses import dataclass

from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.inbox import Inbox
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.lazy_collection import LazyCollection
from sourcebook.ingestion.loads import LoadRun, Loads
from sourcebook.service.spare_memory import ThriftyRun

ABOUT = {"description": "Documents that were posted to /api/rag/ingest"}
DEFAULT_COLLECTION = "documents"


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """The use cases, and the runner that works large loads off."""

    collection: str
    inbox: Inbox
    loads: Loads
    runner: JobRunner


def assemble_documents(
    ledger: Ledger,
    store: VectorStore,
    models: EmbeddingModels,
    collection: str = DEFAULT_COLLECTION,
) -> DocumentParts:
    """The use cases over an open engine."""
    inbox = Inbox(ledger, store, LazyCollection(ledger, store, models, collection, ABOUT))
    run = ThriftyRun(LoadRun(ledger.jobs, inbox))
    runner = JobRunner(ledger.jobs, run, "documents")
    return DocumentParts(collection, inbox, Loads(ledger.jobs, runner.wake), runner)
