"""`sourcebook reindex`: changes the embedding model of a collection."""

from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import DONE, FAILED
from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, Json, settings_from
from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.core.errors import ConfigurationError

if TYPE_CHECKING:
    from sourcebook.cli.jobs import Stop
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.collections.reindex_schemas import OrderedReindexOut, ReindexOut
    from sourcebook.surfaces.use_cases import UseCases


def reindex(
    name: Annotated[str, typer.Argument(help="The collection.")],
    model: Annotated[
        str | None,
        typer.Option(help="The id of the model; without it, the one its metadata ask for."),
    ] = None,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the model before the last change.")
    ] = False,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Change the model of a collection, which goes on answering. Exit code 0 if that is done."""
    import asyncio

    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    check_options(name, model, rollback=rollback)
    require_data(settings)
    done = asyncio.run(_reindex(settings, name, model, rollback=rollback))
    show_result(done, as_json=as_json)
    raise typer.Exit(DONE if done.status in {"completed", "unchanged"} else FAILED)


def check_options(name: str, model: str | None, *, rollback: bool) -> None:
    """Raise ConfigurationError for options that do not fit together."""
    if rollback and model is not None:
        raise ConfigurationError("--rollback goes back to the model before; leave --model out")
    if not name or model == "":
        raise ConfigurationError("The collection and --model must not be empty; name them")


async def _reindex(
    settings: "Settings", name: str, model: str | None, *, rollback: bool
) -> "ReindexOut | OrderedReindexOut":
    from sourcebook.cli.jobs import stop_on_signals
    from sourcebook.cli.opening import opened

    async with opened(settings, "write") as use:
        with stop_on_signals() as stop:
            return await run_job(_Change(use, name, model, rollback=rollback), stop)


class Change(Protocol):
    """A change of the model of a collection: ordered, followed, cancelled."""

    collection: str

    async def order(self) -> "OrderedReindexOut": ...
    async def status(self) -> "ReindexOut": ...
    async def cancel(self) -> None: ...


class _Change:
    def __init__(
        self, use: "UseCases", collection: str, model: str | None, *, rollback: bool
    ) -> None:
        self.collection = collection
        self._use = use
        self._model = model
        self._rollback = rollback

    async def order(self) -> "OrderedReindexOut":
        from sourcebook.surfaces.collections.reindex_results import ordered_out, unchanged_out

        name, jobs = self.collection, self._use.reindex_jobs
        await self._use.catalog.check_writable(name)
        if self._rollback:
            return ordered_out(name, await jobs.roll_back(name))
        job = await jobs.submit(name, self._model)
        if job is None:
            return unchanged_out(await self._use.catalog.get(name))
        return ordered_out(name, job)

    async def status(self) -> "ReindexOut":
        from sourcebook.surfaces.collections.reindex_results import reindex_out

        found = await self._use.reindex_jobs.status(self.collection)
        required = self._use.models.reindex_required(found.collection)
        return reindex_out(found, required=required)

    async def cancel(self) -> None:
        await self._use.reindex_jobs.cancel(self.collection)


async def run_job(change: Change, stop: "Stop") -> "ReindexOut | OrderedReindexOut":
    """Start the job and show it until it ends; a stop cancels it and changes nothing."""
    from sourcebook.cli.jobs import cancel_job, wait_for_job

    ordered = await change.order()
    if ordered.job_id is None:
        return ordered
    title = f"Re-indexing {strip_controls(change.collection)}"
    with err.status(f"{title} …") as shown:
        done = await wait_for_job(
            change.status, lambda job: shown.update(f"{title}: {_progress(job)}"), stop
        )
        if done is not None:
            return done
        shown.update("Stopping; the collection stays as it was …")
        return await cancel_job(change.cancel, change.status)


def _progress(job: "ReindexOut") -> str:
    progress = job.progress
    if not progress.chunks_total:
        return "waiting" if job.status == "queued" else "looking"
    left = ""
    if progress.eta_seconds is not None:
        minutes, seconds = divmod(round(progress.eta_seconds), 60)
        left = f", {minutes}:{seconds:02} left"
    return f"{progress.chunks_done:,} of {counted(progress.chunks_total, 'chunk')}{left}"


def show_result(done: "ReindexOut | OrderedReindexOut", *, as_json: bool) -> None:
    """Print how it ended, with the recall against the old index and the way back."""
    from sourcebook.surfaces.collections.reindex_schemas import OrderedReindexOut

    if as_json:
        out.print(done.model_dump_json())
        return
    if isinstance(done, OrderedReindexOut):
        out.print(f"{done.collection} uses {done.embedding_model} already; there is nothing to do")
        return
    if done.status != "completed":
        reason = strip_controls(done.error or "")
        err.print(f"{done.collection}: {done.status}. {reason}".rstrip())
        return
    progress = done.progress
    out.print(
        f"{done.collection} uses {done.embedding_model}: {counted(progress.chunks_total, 'chunk')},"
        f" {progress.chunks_embedded:,} embedded, {progress.chunks_reused:,} reused"
    )
    if done.recall is not None:
        recall = done.recall
        out.print(
            f"Recall@{recall.k} against the old index on {counted(recall.questions, 'question')}:"
            f" {recall.mean:.3f} on average, {recall.worst:.3f} at worst"
        )
    if done.rollback_to is not None:
        out.print(f"Go back to {done.rollback_to}: sourcebook reindex {done.collection} --rollback")
