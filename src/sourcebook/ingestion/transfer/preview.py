"""Counts what an import would take in, without a ledger."""

from collections.abc import AsyncIterator, Set
from dataclasses import dataclass, field

from sourcebook.core.errors import InvalidInput
from sourcebook.ingestion.transfer.importer import ImportProblem
from sourcebook.ingestion.transfer.records import MovedCollection, MovedDocument, ReadRecord


@dataclass(slots=True)
class PreviewedCollection:
    """A collection of a file: its model, and how many of its documents come with vectors."""

    model: str | None = None
    documents: int = 0
    with_vectors: int = 0


@dataclass(slots=True)
class Preview:
    """What a file holds, by collection; "" is for documents that name none."""

    collections: dict[str, PreviewedCollection] = field(default_factory=dict)
    problems: list[ImportProblem] = field(default_factory=list)

    def collection(self, name: str | None) -> PreviewedCollection:
        return self.collections.setdefault(name or "", PreviewedCollection())


async def preview(records: AsyncIterator[ReadRecord], only: Set[str]) -> Preview:
    """Read everything and count it; what cannot be read is a problem."""
    found = Preview()
    try:
        async for record in records:
            _count(record, only, found)
    except InvalidInput as error:
        found.problems.append(ImportProblem("the file", error.message))
    return found


def _count(record: ReadRecord, only: Set[str], found: Preview) -> None:
    content = record.content
    if isinstance(content, InvalidInput):
        found.problems.append(ImportProblem(record.place, content.message))
    elif isinstance(content, MovedCollection):
        if not only or content.name in only:
            found.collection(content.name).model = content.model
    elif not only or content.collection in only:
        counted = found.collection(content.collection)
        counted.documents += 1
        counted.with_vectors += _has_vectors(content)


def _has_vectors(document: MovedDocument) -> bool:
    return bool(document.chunks) and all(chunk.embedding for chunk in document.chunks or ())
