"""The folder of an embedded store, with a subfolder for each index. Its calls block.

A subfolder gets its name when it is complete, and loses it before it is deleted, so a crash
leaves nothing but folders with a temporary name; opening the store removes those.
"""

import shutil
import threading
from pathlib import Path
from uuid import uuid4

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.vectors import IndexSpec
from sourcebook.providers.vector_stores.index_checks import (
    check_dimensions,
    check_index_id,
    is_index_id,
    missing_index,
)
from sourcebook.providers.vector_stores.qdrant_edge.index import OpenIndex
from sourcebook.providers.vector_stores.qdrant_edge.shard import create_shard, engine_errors

_TEMPORARY = ".passing-"


class IndexFolder:
    """All indexes under one folder, open until `close`."""

    def __init__(self, root: Path, max_payload_indexes: int) -> None:
        self._root = root
        self._max_payload_indexes = max_payload_indexes
        self._open: dict[str, OpenIndex] = {}
        self._broken: set[str] = set()
        self._naming = threading.Lock()

    def open(self) -> None:
        """Open every index. One that is damaged is set aside: the others can still be used."""
        with engine_errors("opening its folder"):
            self._root.mkdir(parents=True, exist_ok=True)
            folders = sorted(path for path in self._root.iterdir() if path.is_dir())
        for folder in folders:
            if is_index_id(folder.name):
                self._load(folder)
            elif folder.name.startswith(_TEMPORARY):
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Close every index, the last one first, even if closing one of them fails."""
        failures = []
        with self._naming:
            while self._open:
                _, index = self._open.popitem()
                try:
                    index.close()
                except RetrievalUnavailable as exc:
                    failures.append(exc)
        if failures:
            raise failures[0]

    def get(self, index_id: str) -> OpenIndex:
        index = self._open.get(index_id)
        if index is None:
            raise RetrievalUnavailable(self._missing_message(index_id))
        return index

    def ids(self) -> set[str]:
        """Return the ids of all indexes, including those that could not be opened."""
        with self._naming:
            return self._open.keys() | self._broken

    def broken(self) -> set[str]:
        """Return the ids of indexes that could not be opened."""
        return set(self._broken)

    def create(self, spec: IndexSpec) -> None:
        """Create an index under a temporary name, and rename it when it is complete."""
        check_index_id(spec.id)
        with self._naming, engine_errors(f"creating index {spec.id!r}"):
            if spec.id in self._broken:
                raise RetrievalUnavailable(self._missing_message(spec.id))
            if spec.id not in self._open:
                self._open[spec.id] = self._new(spec)
                self._open[spec.id].index_fields(spec.fields)
            check_dimensions(self._open[spec.id].spec.dimensions, spec)

    def drop(self, index_id: str) -> None:
        """Close an index, move it to a temporary name, and delete its files."""
        with self._naming, engine_errors(f"dropping index {index_id!r}"):
            if index_id not in self._open and index_id not in self._broken:
                return
            if index_id in self._open:
                self._open[index_id].close()
            temporary = self._temporary_name()
            (self._root / index_id).rename(temporary)
            self._open.pop(index_id, None)
            self._broken.discard(index_id)
            shutil.rmtree(temporary)

    def _load(self, folder: Path) -> None:
        try:
            self._open[folder.name] = self._opened(folder)
        except RetrievalUnavailable as exc:
            # The engine's only sign that another process has the index open.
            if "WouldBlock" in str(exc.__cause__):
                self.close()
                raise RetrievalUnavailable(
                    "The vector store is in use by another process; stop it, or use its API"
                ) from exc
            self._broken.add(folder.name)

    def _new(self, spec: IndexSpec) -> OpenIndex:
        temporary = self._temporary_name()
        try:
            create_shard(temporary, spec.dimensions)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        # The engine keeps paths, so a folder can only be renamed while it is closed.
        return self._opened(temporary.rename(self._root / spec.id))

    def _opened(self, folder: Path) -> OpenIndex:
        return OpenIndex(folder.name, folder, self._max_payload_indexes)

    def _missing_message(self, index_id: str) -> str:
        if index_id in self._broken:
            return f"Index {index_id!r} is damaged and could not be opened; drop it and rebuild it"
        return missing_index(index_id)

    def _temporary_name(self) -> Path:
        return self._root / f"{_TEMPORARY}{uuid4().hex}"
