"""The folder of an embedded store, with a subfolder for each index. Its calls block.

A subfolder gets its name when it is complete, and loses it before it is deleted, so a crash
leaves nothing but folders with a temporary name; opening the store removes those.

An index is opened when it is used, and the least recently used one is closed when too many are
open: an open one takes 40 MB of memory, and 100 of them take seconds to open.
"""

import logging
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.index_checks import (
    check_dimensions,
    check_index_id,
    is_index_id,
    missing_index,
)
from sourcebook.providers.vector_stores.qdrant_edge.index import OpenIndex
from sourcebook.providers.vector_stores.qdrant_edge.shard import (
    bytes_on_disk,
    create_shard,
    engine_errors,
)

log = logging.getLogger(__name__)

LOCK_FILE = ".lock"
_TEMPORARY = ".passing-"
_IN_USE = "The vector store is in use by another process; stop it, or use its API"


class IndexFolder:
    """All indexes under one folder, which belongs to one process until `close`."""

    def __init__(self, root: Path, max_payload_indexes: int, max_open: int) -> None:
        self._root = root
        self._max_payload_indexes = max_payload_indexes
        self._max_open = max_open
        self._ids: set[str] = set()
        self._broken: set[str] = set()
        # The least recently used first.
        self._open: OrderedDict[str, OpenIndex] = OrderedDict()
        self._lock = threading.Lock()
        self._ownership = FileLock(root / LOCK_FILE, thread_local=False)

    def open(self) -> None:
        """Take the folder, and open the largest indexes, up to half of what may be open.

        Opening a large one holds the process for seconds, which nobody should wait for later. One
        that is damaged is set aside: the others can still be used.
        """
        with engine_errors("opening its folder"):
            self._root.mkdir(parents=True, exist_ok=True)
            self._own()
            folders = sorted(path for path in self._root.iterdir() if path.is_dir())
        for folder in folders:
            if is_index_id(folder.name):
                self._ids.add(folder.name)
            elif folder.name.startswith(_TEMPORARY):
                shutil.rmtree(folder, ignore_errors=True)
        try:
            self._open_largest(self._max_open // 2)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close every index, the last one first, even if closing one of them fails."""
        failures = []
        with self._lock:
            while self._open:
                _, index = self._open.popitem()
                try:
                    index.close()
                except RetrievalUnavailable as exc:
                    failures.append(exc)
            self._ownership.release()
        if failures:
            raise failures[0]

    @contextmanager
    def using(self, index_id: str) -> Iterator[OpenIndex]:
        """Open an index if it is closed; it stays open at least until the block ends."""
        with self._lock:
            index = self._opened(index_id)
            index.enter()
        try:
            yield index
        finally:
            index.leave()

    def ids(self) -> set[str]:
        """Return the ids of all indexes, including those that could not be opened."""
        return set(self._ids)

    def broken(self) -> set[str]:
        """Return the ids of indexes that could not be opened."""
        return set(self._broken)

    def create(self, spec: IndexSpec) -> None:
        """Create an index under a temporary name, and rename it when it is complete."""
        check_index_id(spec.id)
        with self._lock, engine_errors(f"creating index {spec.id!r}"):
            if spec.id in self._ids:
                check_dimensions(self._opened(spec.id).spec.dimensions, spec)
                return
            self._create(spec)
            self._ids.add(spec.id)
            self._opened(spec.id).index_fields(spec.fields)

    def drop(self, index_id: str) -> None:
        """Close an index, move it to a temporary name, and delete its files."""
        with self._lock, engine_errors(f"dropping index {index_id!r}"):
            if index_id not in self._ids:
                return
            if index_id in self._open:
                self._open[index_id].close()
            temporary = self._temporary_name()
            (self._root / index_id).rename(temporary)
            self._open.pop(index_id, None)
            self._ids.discard(index_id)
            self._broken.discard(index_id)
        with engine_errors(f"dropping index {index_id!r}"):
            shutil.rmtree(temporary)

    def _own(self) -> None:
        try:
            self._ownership.acquire(timeout=0)
        except Timeout:
            raise RetrievalUnavailable(_IN_USE) from None

    def _open_largest(self, count: int) -> None:
        sizes = {index_id: bytes_on_disk(self._root / index_id) for index_id in self._ids}
        # The largest of them is the most recently used.
        for index_id in reversed(sorted(sizes, key=lambda one: (-sizes[one], one))[:count]):
            try:
                self._opened(index_id)
            except RetrievalUnavailable:
                if index_id not in self._broken:
                    raise

    def _opened(self, index_id: str) -> OpenIndex:
        """Return an open index, under the lock."""
        if index_id not in self._ids or index_id in self._broken:
            raise RetrievalUnavailable(self._missing_message(index_id))
        if index_id not in self._open:
            self._close_unused()
            self._open[index_id] = self._load(index_id)
        self._open.move_to_end(index_id)
        return self._open[index_id]

    def _load(self, index_id: str) -> OpenIndex:
        try:
            return OpenIndex(index_id, self._root / index_id, self._max_payload_indexes)
        except RetrievalUnavailable as exc:
            # The engine's only sign that another process has the index open.
            if "WouldBlock" in str(exc.__cause__):
                raise RetrievalUnavailable(_IN_USE) from exc
            log.warning("index_damaged", extra={"index_id": index_id})
            self._broken.add(index_id)
            raise RetrievalUnavailable(self._missing_message(index_id)) from exc

    def _close_unused(self) -> None:
        """Make room for one more; indexes in use stay open, even if they are too many."""
        unused = [index_id for index_id, index in self._open.items() if not index.in_use]
        for index_id in unused[: max(0, len(self._open) - self._max_open + 1)]:
            try:
                self._open.pop(index_id).close()
            except RetrievalUnavailable as exc:
                log.warning("index_not_closed", extra={"index_id": index_id, "reason": exc.message})

    def _create(self, spec: IndexSpec) -> None:
        temporary = self._temporary_name()
        try:
            create_shard(temporary, spec.dimensions)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        # The engine keeps paths, so a folder can only be renamed while it is closed.
        temporary.rename(self._root / spec.id)

    def _missing_message(self, index_id: str) -> str:
        if index_id in self._broken:
            return f"Index {index_id!r} is damaged and could not be opened; drop it and rebuild it"
        return missing_index(index_id)

    def _temporary_name(self) -> Path:
        return self._root / f"{_TEMPORARY}{uuid4().hex}"
