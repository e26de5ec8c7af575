"""A repository that is small to fetch must not be long to list."""

from pathlib import Path

from dulwich.object_store import DiskObjectStore
from dulwich.objects import ObjectID

from sourcebook.providers.sources.git.tree import CommitFiles
from sourcebook.providers.sources.listing import Limits
from tests.unit.providers.sources.git.repositories import BareRepository


class CountingStore(DiskObjectStore):
    """Counts how often an object is unpacked."""

    unpacked = 0

    def get_raw(self, name: ObjectID) -> tuple[int, bytes]:  # type: ignore[override]
        self.unpacked += 1
        return super().get_raw(name)


def test_one_blob_under_many_names_is_unpacked_once(tmp_path: Path) -> None:
    repository = BareRepository(tmp_path / "book.git")
    commit = repository.push({f"{number}.md": "the same" for number in range(60)})
    store = CountingStore(str(repository.path / "objects"))
    files = CommitFiles(store, ObjectID(commit.encode()), ())

    listing = files.listing(Limits((".md",), 1_000, 1_000), "book")
    files.close()

    assert len(listing.files) == 60
    # The commit, its tree and the blob.
    assert store.unpacked <= 3
