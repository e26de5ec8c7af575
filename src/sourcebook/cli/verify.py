"""`sourcebook verify` and `sourcebook rebuild`: check the index and restore it from the ledger."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.exit_codes import FAILED, NO
from sourcebook.cli.options import Config, DataDir, settings_from
from sourcebook.cli.terminal import answering_a_question, counted, out
from sourcebook.core.errors import ConfigurationError

if TYPE_CHECKING:
    from sourcebook.ingestion.upkeep.repairer import Repaired
    from sourcebook.ingestion.upkeep.restorer import Restoration, Restored
    from sourcebook.ingestion.upkeep.verifier import Findings
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.config.settings import Settings
    from sourcebook.surfaces.book.ingestion_schemas import FindingsOut

MAX_SHOWN_IDS = 5
NOT_RESTORED = (
    "Not in the index, so not restored: jobs, documents without text (drafts; the next run of the"
    " book takes them in), and conversations, if they were lost too."
)
KEPT_POINTS = (
    "They stay on the server, where no search finds them, until `verify --repair`, `rebuild` or"
    " `reindex` deletes them."
)
KEPT_INDEXES = (
    "Nothing says whose they are, so they stay. To delete one, delete the collection on the server"
    " whose name ends in its id."
)


def verify(
    data_dir: DataDir = None,
    config: Config = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend the index first, without embedding anything.")
    ] = False,
) -> None:
    """Compare the index with the ledger. Exit code 1 if anything differs, 2 if it cannot tell."""
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
    from_index: Annotated[
        bool,
        typer.Option("--from-index", help="Restore a lost ledger from a Qdrant server instead."),
    ] = False,
    installation: Annotated[
        str | None,
        typer.Option(help="With --from-index: whose ledger was lost. Without it, all are listed."),
    ] = None,
) -> None:
    """Build every index anew from the ledger, without embedding anything."""
    import asyncio

    settings = settings_from(config, data_dir=data_dir)
    if installation is not None and not from_index:
        raise typer.BadParameter("--installation is for --from-index only")
    if not from_index:
        require_data(settings)
    if not asyncio.run(_restore(settings, installation) if from_index else _rebuild(settings)):
        raise typer.Exit(FAILED)


async def _verify(settings: "Settings", *, repair: bool) -> "Sequence[Findings | FindingsOut]":
    from sourcebook.cli.clients import BookClient
    from sourcebook.cli.connect import connect_to_service, own_or_find

    with ExitStack() as held:
        owned = await own_or_find(settings, held, "sourcebook verify")
        if not isinstance(owned, str):
            return await _verify_alone(settings, owned, repair=repair)
        if repair:
            raise ConfigurationError(
                f"A repair needs the data folder for itself, and the service at {owned} has it:"
                " stop that one, then run the repair"
            )
        async with connect_to_service(settings, owned) as http:
            http.timeout = None  # it reads everything that there is
            return (await BookClient(http).verify()).collections


async def _verify_alone(
    settings: "Settings", folder: "DataFolder", *, repair: bool
) -> list["Findings"]:
    from sourcebook.ingestion.upkeep.repairer import Repairer
    from sourcebook.ingestion.upkeep.verifier import Verifier
    from sourcebook.service.wiring.storage import open_storage

    async with open_storage(settings, folder, alone=True) as storage:
        if repair:
            with out.status("Repairing …"):
                repaired = await Repairer(storage.ledger, storage.store).repair()
            for done in repaired:
                _show_repair(done)
        return await Verifier(storage.ledger, storage.store).verify()


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


async def _restore(settings: "Settings", installation: str | None) -> bool:
    """Restore the ledger; False if a collection or a document could not be restored."""
    from sourcebook.ingestion.upkeep.restorer import Restorer
    from sourcebook.service.config.data_folder import own_exclusively
    from sourcebook.service.wiring.lost_ledger import store_of_lost_ledger
    from sourcebook.service.wiring.storage import open_storage

    with own_exclusively(settings.data_dir, "sourcebook rebuild") as folder:
        async with open_storage(settings, folder, alone=True) as storage:
            chosen, store = await store_of_lost_ledger(storage, installation)
            with out.status(f"Restoring the ledger of installation {chosen} …"):
                restoration = await Restorer(storage.ledger, store).restore(chosen)
    _show_restoration(restoration)
    return restoration.complete


def _show_restoration(restoration: "Restoration") -> None:
    for done in restoration.collections:
        _show_restored(done)
    if kept := restoration.kept_indexes:
        out.print(f"{len(kept)} indexes are of no restored collection: {', '.join(kept)}")
        out.print(f"  {KEPT_INDEXES}")
    out.print(NOT_RESTORED)


def _show_restored(done: "Restored") -> None:
    if done.problem is not None:
        out.print(f"{done.collection}: not restored, {done.problem}")
        return
    out.print(
        f"{done.collection}: {done.documents} documents with {done.chunks} chunks from the index,"
        " 0 embedded"
    )
    if done.left_over:
        out.print(f"  {done.left_over} points of replaced versions, which will be deleted")
    if done.kept:
        out.print(f"  {done.kept} points belong to no complete version. {KEPT_POINTS}")
    if done.foreign:
        out.print(f"  {done.foreign} points of another tool, which stay as they are")
    if done.unreadable:
        out.print(
            f"  {len(done.unreadable)} documents are incomplete: {_some(done.unreadable)}."
            " Post them again; without another copy, read on the server what is left of them"
        )


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
            f"  {counted(len(found.outdated), 'chunk')} cannot be found by words yet, only by"
            " meaning. A start of the service adds the words in the background, and"
            f" `sourcebook reindex {found.collection}` does it now. Nothing is embedded."
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
