"""Compares what a service says in several ways: counts, lists and searches must agree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sourcebook.core.metadata import Metadata
from tests.chaos.history import DocumentId, State


@dataclass(frozen=True)
class Seen:
    """A document as a reader saw it."""

    id: str
    text: str
    metadata: Metadata

    @property
    def state(self) -> str:
        """Everything that a new version may change."""
        return f"{self.text} {dict(sorted(self.metadata.items()))}"


@dataclass(frozen=True)
class Observed:
    """One collection: its count, all its documents, and all that a search finds in it."""

    collection: str
    count: int
    total: int
    documents: tuple[Seen, ...]
    hits: tuple[Seen, ...]


def contradictions(observed: Observed) -> list[str]:
    """Where the collection disagrees with itself."""
    listed = Counter((seen.id, seen.state) for seen in observed.documents)
    found = Counter((seen.id, seen.state) for seen in observed.hits)
    versions = Counter(seen.id for seen in observed.documents)
    said = []
    if not observed.count == observed.total == len(observed.documents):
        said.append(
            f"counts {observed.count} and {observed.total} for {len(observed.documents)} documents"
        )
    said += [f"{id_!r} is listed {count} times" for id_, count in versions.items() if count > 1]
    said += [f"{key} is listed but not found" for key in (listed - found)]
    said += [f"{key} is found but not listed" for key in (found - listed)]
    return [f"{observed.collection}: {what}" for what in said]


def check_versions(id_: str, versions: Sequence[Seen], oldest: int, newest: int) -> None:
    """A reader must see one version, whole, and none that was replaced before it asked."""
    assert len(versions) == 1, f"{id_} was seen in {len(versions)} versions: {versions}"
    version = versions[0].metadata["version"]
    assert isinstance(version, int)
    assert oldest <= version <= newest, f"{id_}: {version} is not in {oldest}..{newest}"
    assert versions[0].text.endswith(f"{id_} version {version}"), f"mixed: {versions[0]}"


def states(collections: Iterable[Observed]) -> Mapping[DocumentId, State]:
    """The state of every document that there is."""
    return {
        (observed.collection, seen.id): seen.state
        for observed in collections
        for seen in observed.documents
    }
