"""Indexes documents for an evaluation in a temporary data folder, apart from the user's data."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import httpx2

from sourcebook.cli.book_jobs import CommandJobs, validated
from sourcebook.cli.eval_display import counting
from sourcebook.cli.job_display import shown_progress
from sourcebook.cli.jobs import Stop, wait_for_job
from sourcebook.cli.service_client import ServiceClient, local_client
from sourcebook.cli.terminal import counted, err
from sourcebook.core.errors import ConfigurationError
from sourcebook.evaluation.beir import CorpusDocument, corpus_file, read_corpus
from sourcebook.service.config.data_folder import DataFolder, make_data_folder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.models import entries_or_bundled
from sourcebook.service.wiring.use_cases import open_to_write
from sourcebook.surfaces.book.ingestion_schemas import TriggerIn
from sourcebook.surfaces.collections.schemas import (
    AddDocumentsIn,
    AddedOut,
    CollectionsOut,
    CreateCollectionIn,
    CreatedOut,
)
from sourcebook.surfaces.use_cases import UseCases

COLLECTION = "evaluation"
BATCH_SIZE = 100
# Beyond any distance: what is found is ranked, however far it is.
FARTHEST = 3.0
# What a temporary index takes from the user's settings: the language model, and how to log.
KEPT_SETTINGS = frozenset(
    {
        "llm",
        "llm_fallback",
        "language_model",
        "language_model_config",
        "llm_base_url",
        "llm_api_key",
        "llm_model",
        "gemini_api_key",
        "gemini_model",
        "gemini_base_url",
        "openai_api_key",
        "ollama_host",
        "chat_timeout_s",
        "allowed_private_hosts",
        "offline",
        "log_level",
        "log_format",
    }
)


@asynccontextmanager
async def indexed_documents(
    settings: Settings,
    documents: Path,
    embeddings_config: Path | None = None,
    *,
    keep: Path | None = None,
) -> AsyncIterator[tuple[httpx2.AsyncClient, str | None]]:
    """Index a book's folder or a corpus file; yield a client, and the collection of a corpus.

    Embeds with the bundled model unless a file names another. All of it is gone afterwards, unless
    `keep` names a folder for it: then the next time nothing is embedded again.
    """
    corpus = corpus_file(documents)
    with _own_folder(settings, keep) as folder:
        own = isolated(settings, folder.root, None if corpus else documents, embeddings_config)
        async with open_to_write(own, folder) as use, local_client(use) as http:
            if corpus is None:
                await index_book(use)
                yield http, None
            else:
                await index_corpus(http, list(read_corpus(corpus)), entries_or_bundled(own)[0].id)
                yield http, COLLECTION


@contextmanager
def _own_folder(settings: Settings, keep: Path | None) -> Iterator[DataFolder]:
    """Own a data folder that shares the user's models and nothing else."""
    with ExitStack() as stack:
        if keep is None:
            temporary = tempfile.TemporaryDirectory(prefix="sourcebook-eval-")
            root = Path(stack.enter_context(temporary))
        else:
            root = keep
            root.mkdir(parents=True, exist_ok=True)
        folder = DataFolder(root)
        models = DataFolder(settings.data_dir).models
        if models.is_dir() and not folder.models.exists():
            folder.models.symlink_to(models, target_is_directory=True)
        yield make_data_folder(root)


def isolated(
    settings: Settings, root: Path, docs: Path | None, embeddings_config: Path | None
) -> Settings:
    """Return the defaults, whatever stores and books the user has configured."""
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in Settings.model_fields.items()
        if name not in KEPT_SETTINGS
    }
    chosen = {
        "data_dir": root,
        "docs_path": None if docs is None else docs.resolve(),
        "embeddings_config": embeddings_config,
        # The set asks better questions than a book can ask itself.
        "max_probes": 0,
    }
    return settings.model_copy(update=defaults | chosen)


async def index_book(use: UseCases) -> None:
    """Index the book of the settings; ConfigurationError if nothing of it can be."""
    client = CommandJobs(use)
    job_id = await client.trigger(TriggerIn())
    with shown_progress(err) as show:
        # Never stopped: Ctrl+C ends the command, and the folder is gone with it.
        job = await wait_for_job(lambda: client.job(job_id), show, Stop())
    if job is None or job.status not in {"completed", "partial"}:
        reason = None if job is None else job.error_message
        raise ConfigurationError(f"The documents could not be indexed: {reason}")
    err.print(
        f"Indexed {counted(job.files_processed, 'file')}, {counted(job.chunks_created, 'chunk')}"
    )


async def index_corpus(
    http: httpx2.AsyncClient, documents: Sequence[CorpusDocument], model: str
) -> None:
    """Put the documents into a collection of their own, unless they are there already."""
    service = ServiceClient(http)
    known = (await service.request("GET", "/collections", CollectionsOut)).collections
    counts = {one.name: one.count for one in known}
    if counts.get(COLLECTION) == len(documents):
        return
    if COLLECTION not in counts:
        metadata = {"match_threshold": FARTHEST}
        asked = {"name": COLLECTION, "embedding_model": model, "metadata": metadata}
        created = validated(CreateCollectionIn, asked)
        await service.request("POST", "/collections", CreatedOut, body=created)
    path = f"/collections/{COLLECTION}/documents"
    with counting("Indexing documents", len(documents)) as show:
        for start in range(0, len(documents), BATCH_SIZE):
            batch = documents[start : start + BATCH_SIZE]
            posted = [{"id": one.id, "text": one.whole} for one in batch]
            body = validated(AddDocumentsIn, {"documents": posted})
            await service.request("POST", path, AddedOut, body=body)
            show(start + len(batch))
    err.print(f"Indexed {counted(len(documents), 'document')}")
