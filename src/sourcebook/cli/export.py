"""`sourcebook export`: writes documents to a file, for other tools and for `sourcebook import`."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.options import Config, DataDir, settings_from
from sourcebook.cli.terminal import counted, err, out

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings


def export(
    file: Annotated[Path, typer.Argument(help="Ends in .jsonl, .jsonl.gz or .parquet.")],
    collection: Annotated[
        list[str] | None, typer.Option(help="Only this collection; may be given several times.")
    ] = None,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="With vectors, so that nothing is embedded again.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name.")] = False,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Write collections with their documents to a file, also while serving."""
    import asyncio

    settings = settings_from(config, log_level="warning", data_dir=data_dir)
    asyncio.run(_export(settings, file, collection or [], vectors=vectors, force=force))


async def _export(
    settings: "Settings", file: Path, names: list[str], *, vectors: bool, force: bool
) -> None:
    from sourcebook.ingestion.transfer.records import MovedDocument
    from sourcebook.providers.transfer_files.files import open_record_writer
    from sourcebook.service.wiring.transfer import open_exporter

    documents: Counter[str] = Counter()
    chunks: Counter[str] = Counter()
    async with open_exporter(settings) as exporter:
        collections = await exporter.collections(names)
        with (
            err.status(f"Writing {file.name} …") as status,
            open_record_writer(file, replace_file=force) as writer,
        ):
            async for record in exporter.records(collections, vectors=vectors):
                writer.write(record)
                if isinstance(record, MovedDocument):
                    name = record.collection or ""
                    documents[name] += 1
                    chunks[name] += len(record.chunks or ())
                    if documents.total() % 100 == 0:
                        status.update(f"{counted(documents.total(), 'document')} written …")
    for found in collections:
        name = found.name
        out.print(
            f"{name}: {counted(documents[name], 'document')} with {counted(chunks[name], 'chunk')}"
        )
    out.print(f"{file}: {counted(documents.total(), 'document')}{_with_vectors(vectors)}")


def _with_vectors(vectors: bool) -> str:
    return " with vectors" if vectors else " without vectors: an import embeds them again"
