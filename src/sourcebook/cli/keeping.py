"""What `verify` and `rebuild` do. Imports the service, so they load it only when they run."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from sourcebook.cli.configuring import settings_from
from sourcebook.ingestion.rebuilder import Rebuilder
from sourcebook.ingestion.repairer import Repaired, Repairer
from sourcebook.ingestion.sweeper import Sweeper
from sourcebook.ingestion.verifier import Findings, Verifier
from sourcebook.service.data_folder import own_data_folder
from sourcebook.service.engine import open_engine
from sourcebook.service.settings import Settings

SHOWN_IDS = 5

console = Console(highlight=False, soft_wrap=True)


def verify(config: Path | None, data_dir: Path | None, *, repair: bool) -> bool:
    """Print what differs between ledger and index, once mended if asked; True if nothing does."""
    findings = asyncio.run(_verify(settings_from(config, data_dir=data_dir), repair=repair))
    for found in findings:
        _print(found)
    clean = all(found.clean for found in findings)
    if not clean and not repair:
        console.print("Run `sourcebook verify --repair` to mend the index from the ledger.")
    elif not findings:
        console.print("There are no collections.")
    return clean


def rebuild(config: Path | None, data_dir: Path | None) -> bool:
    """Rebuild all indexes; True if every chunk is back."""
    return asyncio.run(_rebuild(settings_from(config, data_dir=data_dir)))


async def _verify(settings: Settings, *, repair: bool) -> list[Findings]:
    with own_data_folder(settings.data_dir) as folder:
        async with open_engine(settings, folder, alone=True) as engine:
            if repair:
                with console.status("Repairing …"):
                    repaired = await Repairer(engine.ledger, engine.store).repair()
                for done in repaired:
                    _print_repair(done)
            return await Verifier(engine.ledger, engine.store).verify()


async def _rebuild(settings: Settings) -> bool:
    complete = True
    with own_data_folder(settings.data_dir) as folder:
        async with open_engine(settings, folder, alone=True) as engine:
            rebuilder = Rebuilder(engine.ledger, engine.store)
            for collection in await engine.ledger.collections.all():
                with console.status(f"Rebuilding {collection.name} …"):
                    rebuilt = await rebuilder.rebuild(collection)
                console.print(
                    f"{rebuilt.collection}: {rebuilt.points} points from the ledger, 0 embedded"
                )
                if rebuilt.lacking:
                    complete = False
                    console.print(
                        f"  {rebuilt.lacking} chunks have no remembered vectors: post them again"
                    )
            await Sweeper(engine.ledger, engine.store).sweep_all()
    return complete


def _print(found: Findings) -> None:
    verdict = "[green]clean[/]" if found.clean else "[red]differs[/]"
    waiting = f", {found.awaiting} dead points await removal" if found.awaiting else ""
    console.print(f"{found.collection}: {found.chunks} chunks, {verdict}{waiting}")
    for name in ("missing", "orphaned", "stale", "broken"):
        ids: tuple[str, ...] = getattr(found, name)
        if ids:
            console.print(f"  {len(ids)} {name}: {_some(ids)}")


def _print_repair(done: Repaired) -> None:
    console.print(
        f"{done.collection}: {done.written} points written from the ledger, {done.deleted} deleted,"
        f" {done.relinked} chunks relinked, 0 embedded"
    )
    if done.lacking:
        console.print(
            f"  {len(done.lacking)} documents have no remembered vectors: post them again:"
            f" {_some(done.lacking)}",
            markup=False,
        )


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - SHOWN_IDS} more" if len(ids) > SHOWN_IDS else ""
    return ", ".join(ids[:SHOWN_IDS]) + more
