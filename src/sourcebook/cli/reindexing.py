"""What `reindex` does. Imports the service, so the command loads it only when it runs."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

import httpx2

from sourcebook.cli.interrupts import Stop, heard_stops
from sourcebook.cli.reaching import reach_service
from sourcebook.cli.service_client import Refused, ServiceClient
from sourcebook.cli.terminal import counted, err, harmless, out
from sourcebook.core.errors import ConfigurationError
from sourcebook.core.jobs import UNFINISHED
from sourcebook.service.settings import Settings
from sourcebook.surfaces.collections.reindex_schemas import OrderedReindexOut, ReindexIn, ReindexOut

POLL_EVERY_S = 0.3
# Texts that are being embedded are finished first.
CANCEL_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the command line."""

    name: str
    model: str | None = None
    rollback: bool = False
    as_json: bool = False


def reindex(settings: Settings, wish: Wish) -> int:
    """Do it; the exit code."""
    if wish.rollback and wish.model is not None:
        raise ConfigurationError("--rollback goes back to the model before; leave --model out")
    if not wish.name or wish.model == "":
        raise ConfigurationError("The collection and --model must not be empty; name them")
    return asyncio.run(_reindex(settings, wish))


async def _reindex(settings: Settings, wish: Wish) -> int:
    async with reach_service(settings, "keep") as http:
        with heard_stops() as stop:
            done = await run(ReindexClient(http, wish.name), wish, stop)
    _show(done, as_json=wish.as_json)
    return 0 if done.status in {"completed", "unchanged"} else 1


class ReindexClient:
    """Speaks of one collection to a service; its errors have the service's own words."""

    def __init__(self, http: httpx2.AsyncClient, name: str) -> None:
        self._service = ServiceClient(http)
        self._path = f"/collections/{quote(name, safe='')}/reindex"

    async def change(self, model: str | None) -> OrderedReindexOut:
        """Order a change of the model."""
        wanted = ReindexIn(embedding_model=model)
        return await self._service.ask("POST", self._path, OrderedReindexOut, body=wanted)

    async def roll_back(self) -> OrderedReindexOut:
        """Order the way back."""
        return await self._service.ask("POST", f"{self._path}/rollback", OrderedReindexOut)

    async def cancel(self) -> None:
        """Ask the job to end."""
        await self._service.send("POST", f"{self._path}/cancel")

    async def status(self) -> ReindexOut:
        """How far it is."""
        return await self._service.ask("GET", self._path, ReindexOut)


async def run(client: ReindexClient, wish: Wish, stop: Stop) -> ReindexOut | OrderedReindexOut:
    """Order the job and show it to its end; a stop ends it, and the collection stays as it was."""
    ordered = await (client.roll_back() if wish.rollback else client.change(wish.model))
    if ordered.job_id is None:
        return ordered
    with err.status(f"Re-indexing {harmless(wish.name)} …") as shown:
        while True:
            now = await client.status()
            if now.status not in UNFINISHED:
                return now
            shown.update(f"Re-indexing {harmless(wish.name)}: {_told(now)}")
            if await stop.within(POLL_EVERY_S):
                break
        shown.update("Stopping; the collection stays as it was …")
        return await _cancel(client)


async def _cancel(client: ReindexClient) -> ReindexOut:
    with suppress(Refused):  # it has ended in this very moment
        await client.cancel()
    now = await client.status()
    with suppress(TimeoutError):
        async with asyncio.timeout(CANCEL_LIMIT_S):
            while now.status in UNFINISHED:
                await asyncio.sleep(POLL_EVERY_S)
                now = await client.status()
    return now


def _told(now: ReindexOut) -> str:
    progress = now.progress
    if not progress.chunks_total:
        return "waiting" if now.status == "queued" else "looking"
    left = ""
    if progress.eta_seconds is not None:
        minutes, seconds = divmod(round(progress.eta_seconds), 60)
        left = f", {minutes}:{seconds:02} left"
    return f"{progress.chunks_done:,} of {counted(progress.chunks_total, 'chunk')}{left}"


def _show(done: ReindexOut | OrderedReindexOut, *, as_json: bool) -> None:
    if as_json:
        out.print(done.model_dump_json())
        return
    if isinstance(done, OrderedReindexOut):
        out.print(f"{done.collection} uses {done.embedding_model} already; there is nothing to do")
        return
    if done.status != "completed":
        err.print(f"{done.collection}: {done.status}. {harmless(done.error or '')}".rstrip())
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
