"""`sourcebook import`: takes in documents from a file, or from another tool's store."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.exit_codes import DONE, INTERRUPTED, PART_FAILED
from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, settings_from
from sourcebook.cli.terminal import counted, err
from sourcebook.core.errors import ConfigurationError

if TYPE_CHECKING:
    from sourcebook.ingestion.transfer.importer import Importer, ImportReport
    from sourcebook.ingestion.transfer.records import ReadRecord
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.wiring.transfer import ForeignKind, ImportParts

STORES: "tuple[ForeignKind, ...]" = ("qdrant", "chroma")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the command line asks for."""

    source: str
    where: str | None = None
    collections: frozenset[str] = frozenset()
    into: str | None = None
    model: str | None = None
    embed: bool = False
    text_field: str | None = None
    key: str | None = None
    dry_run: bool = False


def import_documents(
    source: Annotated[
        str, typer.Argument(help="A .jsonl, .jsonl.gz or .parquet file, or `qdrant`, or `chroma`.")
    ],
    where: Annotated[
        str | None,
        typer.Argument(help="The URL of the Qdrant or Chroma server, or Chroma's folder."),
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option(help="Only this collection; may be given several times.")
    ] = None,
    into: Annotated[
        str | None, typer.Option("--as", help="Another name for the collection, here.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The id of the model of the vectors, and of new collections."),
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Embed the texts instead of taking the vectors.")
    ] = False,
    text_field: Annotated[
        str | None, typer.Option(help="The field of a store's points that holds their text.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(envvar="SOURCEBOOK_IMPORT_KEY", help="The key or token of the other store."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be taken in, and do nothing.")
    ] = False,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
) -> None:
    """Take in documents. Exit code 0 if all were, 2 if a part, 1 if none."""
    import asyncio

    names = frozenset(collection or ())
    options = ImportOptions(
        source, where, names, into, model, embed, text_field, key, dry_run=dry_run
    )
    check_options(options)
    settings = settings_from(
        config, log_level="warning", data_dir=data_dir, embeddings_config=embeddings_config
    )
    try:
        code = asyncio.run(_import(settings, options))
    except KeyboardInterrupt:
        err.print("Interrupted. What was imported stays: run the command again to go on.")
        code = INTERRUPTED
    raise typer.Exit(code)


def check_options(options: ImportOptions) -> None:
    """Raise ConfigurationError for options that do not fit together."""
    if options.source in STORES:
        if options.where is None:
            raise ConfigurationError(
                f"Say where it is: sourcebook import {options.source}"
                f" {'URL' if options.source == 'qdrant' else 'PATH_OR_URL'}"
            )
        return
    if options.where is not None:
        raise ConfigurationError(
            f"{options.where!r} is one argument too many: import a file, or `qdrant URL`, or"
            " `chroma PATH_OR_URL`"
        )
    if options.text_field is not None:
        raise ConfigurationError("--text-field is for `import qdrant` and `import chroma`")
    if not Path(options.source).is_file():
        raise ConfigurationError(
            f"There is no file {options.source!r}. To copy from a store, say `import qdrant URL` or"
            " `import chroma PATH_OR_URL`"
        )


async def _import(settings: "Settings", options: ImportOptions) -> int:
    from sourcebook.providers.transfer_files.files import check_ending
    from sourcebook.service.wiring.transfer import open_importer

    if options.source not in STORES:
        check_ending(Path(options.source))  # before a model is loaded
        if options.dry_run:
            return await _preview_file(options)
    with err.status("Loading the model …") as status:
        async with open_importer(
            settings, model=options.model, into=options.into, take_vectors=not options.embed
        ) as parts:
            status.stop()
            if options.source in STORES:
                return await _import_store(settings, options, parts)
            return await _import_file(options, parts)


async def _import_file(options: ImportOptions, parts: "ImportParts") -> int:
    from sourcebook.cli.import_display import show_report
    from sourcebook.providers.transfer_files.files import read_records

    return show_report(await _take(parts.importer, read_records(Path(options.source)), options))


async def _preview_file(options: ImportOptions) -> int:
    from sourcebook.cli.import_display import show_preview
    from sourcebook.ingestion.transfer.preview import preview
    from sourcebook.providers.transfer_files.files import read_records

    return show_preview(await preview(read_records(Path(options.source)), options.collections))


async def _import_store(settings: "Settings", options: ImportOptions, parts: "ImportParts") -> int:
    from sourcebook.cli.import_display import exit_code, show_plan, show_report
    from sourcebook.ingestion.transfer.foreign_import import (
        PlannedCollection,
        plan_import,
        planned_records,
    )
    from sourcebook.providers.vector_stores.field_mapping import FieldMapping
    from sourcebook.service.wiring.transfer import open_foreign_store

    kind: ForeignKind = "qdrant" if options.source == "qdrant" else "chroma"
    mapping = FieldMapping(text=options.text_field)
    async with open_foreign_store(
        settings, kind, options.where or "", parts.namespace, mapping=mapping, key=options.key
    ) as store:
        with err.status("Comparing vectors …"):
            planned = await plan_import(
                store,
                sorted(options.collections),
                parts.models,
                model=options.model,
                embed=options.embed,
            )
        for one in planned:
            show_plan(one)
        usable = [
            one for one in planned if isinstance(one, PlannedCollection) and one.problem is None
        ]
        if options.dry_run or not usable:
            return exit_code(len(usable), len(planned) - len(usable))
        report = await _take(parts.importer, planned_records(usable), options)
    code = show_report(report)
    return PART_FAILED if code == DONE and len(usable) < len(planned) else code


async def _take(
    importer: "Importer", records: "AsyncIterator[ReadRecord]", options: ImportOptions
) -> "ImportReport":
    with err.status("Importing …") as status:

        def show(report: "ImportReport") -> None:
            status.update(f"{counted(report.stored, 'document')} imported …")

        return await importer.take(records, options.collections, show)
