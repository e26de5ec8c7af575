"""`sourcebook verify` and `sourcebook rebuild`: check the index and restore it from the ledger."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import FAILED, NO
from sourcebook.cli.options import Config, DataDir, settings_from
from sourcebook.cli.terminal import answering_a_question, counted, out

if TYPE_CHECKING:
    from sourcebook.ingestion.upkeep.repairer import Repaired
    from sourcebook.ingestion.upkeep.verifier import Findings
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.book.ingestion_schemas import FindingsOut

MAX_SHOWN_IDS = 5


def verify(
    data_dir: DataDir = None,
    config: Config = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend the index first, without embedding anything.")
    ] = False,
) -> None:
    """Compare the index with the ledger. Exit code 1 if anything differs, 2 if it cannot tell.

    The embedded index reads the ledger: there it checks texts, links and remembered vectors.
    """
    import asyncio

    with answering_a_question():
        settings = settings_from(config, data_dir=data_dir)
        require_data(settings)
        findings = asyncio.run(_verify(settings, repair=repair))
    for found in findings:
        _show_findings(found)
    clean = all(found.clean for found in findings)
    if not clean and not repair:
        out.print(
            "Run `sourcebook verify --repair` to mend the index from the ledger; it deletes what is"
            " orphaned or stale."
        )
    elif not findings:
        out.print("There are no collections.")
    if not clean:
        raise typer.Exit(NO)


def rebuild(
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Build every index anew from the ledger, without embedding anything.

    The embedded index is only read once more, to name chunks that lack vectors.
    """
    import asyncio

    settings = settings_from(config, data_dir=data_dir)
    require_data(settings)
    if not asyncio.run(_rebuild(settings)):
        raise typer.Exit(FAILED)


async def _verify(settings: "Settings", *, repair: bool) -> list["Findings"]:
    from sourcebook.ingestion.upkeep.repairer import Repairer
    from sourcebook.ingestion.upkeep.verifier import Verifier
    from sourcebook.service.config.data_folder import make_data_folder, own_exclusively
    from sourcebook.service.wiring.storage import open_storage

    if not repair:
        async with open_storage(settings, make_data_folder(settings.data_dir)) as storage:
            return await Verifier(storage.ledger, storage.store, storage.terms).verify()
    with own_exclusively(settings.data_dir, "sourcebook verify --repair") as folder:
        async with open_storage(settings, folder, alone=True) as storage:
            with out.status("Repairing …"):
                repaired = await Repairer(storage.ledger, storage.store).repair()
            for done in repaired:
                _show_repair(done)
            return await Verifier(storage.ledger, storage.store, storage.terms).verify()


async def _rebuild(settings: "Settings") -> bool:
    """Rebuild all indexes; False if the ledger lacks vectors."""
    from sourcebook.ingestion.upkeep.rebuilder import Rebuilder
    from sourcebook.ingestion.upkeep.sweeper import Sweeper
    from sourcebook.service.config.data_folder import own_exclusively
    from sourcebook.service.wiring.storage import open_storage

    complete = True
    with own_exclusively(settings.data_dir, "sourcebook rebuild") as folder:
        async with open_storage(settings, folder, alone=True) as storage:
            rebuilder = Rebuilder(storage.ledger, storage.store)
            for collection in await storage.ledger.collections.all():
                with out.status(f"Rebuilding {collection.name} …"):
                    rebuilt = await rebuilder.rebuild(collection)
                out.print(
                    f"{rebuilt.collection}: {rebuilt.points} points from the ledger, 0 embedded"
                )
                if rebuilt.lacking:
                    complete = False
                    out.print(
                        f"  {rebuilt.lacking} chunks have no remembered vectors: post them again"
                    )
            await Sweeper(storage.ledger, storage.store).sweep_all()
    return complete


def _show_findings(found: "Findings | FindingsOut") -> None:
    verdict = ("clean", "green") if found.clean else ("differs", "red")
    waiting = f", {found.awaiting} dead points await removal" if found.awaiting else ""
    out.print(Text.assemble(f"{found.collection}: {found.chunks} chunks, ", verdict, waiting))
    for name in ("missing", "orphaned", "stale", "broken"):
        ids: Sequence[str] = getattr(found, name)
        if ids:
            out.print(f"  {len(ids)} {name}: {_some(ids)}")
    if found.outdated:
        out.print(
            f"  {counted(len(found.outdated), 'chunk')} are indexed with the words of another"
            " SOURCEBOOK_LANGUAGE. `sourcebook rebuild` indexes them anew; nothing is embedded."
        )


def _show_repair(done: "Repaired") -> None:
    out.print(
        f"{done.collection}: {done.written} points written from the ledger, {done.deleted} deleted,"
        f" {done.relinked} chunks relinked, 0 embedded"
    )
    if done.lacking:
        out.print(
            f"  {len(done.lacking)} documents have no remembered vectors: post them again:"
            f" {_some(done.lacking)}"
        )


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MAX_SHOWN_IDS} more" if len(ids) > MAX_SHOWN_IDS else ""
    return ", ".join(ids[:MAX_SHOWN_IDS]) + more
