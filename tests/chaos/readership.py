"""Readers of a book: whatever route they take, a lesson is one whole version of its file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import httpx2

from tests.chaos.manuscript import LASTING, PASSING, Manuscript, id_of, tier_of

MOST = 20


class Reader:
    """Reads lessons by every route, and notes and remembers what it sees."""

    def __init__(self, book: Manuscript) -> None:
        self.problems: list[str] = []
        self.lessons_read = 0
        self._book = book
        self._first_chunks: dict[str, str] = {}
        self._newest: dict[str, int] = {}

    async def read_all(self, client: httpx2.AsyncClient) -> None:
        """Every file that there was at any time, once."""
        for path in (*LASTING, *PASSING):
            await self._read(client, path)

    async def _read(self, client: httpx2.AsyncClient, path: str) -> None:
        """One file: as a lesson, as hits of a search, and as what stands around its beginning."""
        self._judge(path, "lesson", await self._lesson(client, path))
        self._judge(path, "search", await _search(client, path))
        # The first chunk of a lasting file never changes, so it can always be asked for.
        if path in LASTING and path in self._first_chunks:
            self._judge(path, "context", await _context(client, self._first_chunks[path]))

    def _judge(self, path: str, route: str, chunks: Sequence[Mapping[str, Any]]) -> None:
        if not chunks:
            if path in LASTING:
                self._say(path, route, "nothing was found")
            return
        for problem in broken_links(chunks):
            self._say(path, route, problem)
        texts = self._book.texts(path)
        fitting = [number for number, text in enumerate(texts) if fits(chunks, text)]
        if not fitting:
            self._say(path, route, f"no version of the file has these chunks: {_shown(chunks)}")
        elif path in LASTING:
            self._follow(path, route, fitting)
            self._first_chunks[path] = chunks[0]["chunk_id"]
        self.lessons_read += 1

    def _follow(self, path: str, route: str, fitting: Sequence[int]) -> None:
        """Files are only ever written anew, so a reader never goes back."""
        newest = self._newest.get(path, 0)
        later = [version for version in fitting if version >= newest]
        if not later:
            self._say(path, route, f"one of the versions {fitting} after version {newest}")
            return
        self._newest[path] = later[0]

    def _say(self, path: str, route: str, problem: str) -> None:
        self.problems.append(f"{route} {path}: {problem}")

    async def _lesson(self, client: httpx2.AsyncClient, path: str) -> Sequence[Mapping[str, Any]]:
        reply = await client.get(f"/lesson/{id_of(path)}")
        if reply.status_code == 404:
            return []
        lesson = _read(reply)
        if lesson["text"] not in self._book.texts(path):
            self._say(path, "lesson", "its text was never in the file")
        return in_order(lesson["chunks"])


def in_order(chunks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The chunks as they say they stand."""
    return sorted(chunks, key=lambda chunk: int(chunk["chunk_index"]))


def broken_links(chunks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the chunks, which must be all of their lesson, are no chain."""
    ids = [chunk["chunk_id"] for chunk in chunks]
    wanted = zip(range(len(ids)), [None, *ids], [*ids[1:], None], strict=False)
    said = [] if len(ids) == len(set(ids)) else ["a chunk came twice"]
    for chunk, (index, previous, following) in zip(chunks, wanted, strict=True):
        found = chunk["chunk_index"], chunk["prev_chunk_id"], chunk["next_chunk_id"]
        if found != (index, previous, following):
            said.append(f"the chain is broken at {index} of {len(ids)}: {found}")
        if chunk["total_chunks"] != len(ids):
            said.append(f"{len(ids)} of {chunk['total_chunks']} chunks")
    return said


def fits(chunks: Sequence[Mapping[str, Any]], text: str) -> bool:
    """Tell whether these are the chunks of that version, with nothing left out."""
    body = text.index("\n---\n") + len("\n---\n")
    left = bytearray(b"?") * len(text)
    for chunk in chunks:
        start, end = chunk["start"], chunk["end"]
        if text[start:end] != chunk["text"] or chunk["hardware_tier"] != tier_of(text):
            return False
        left[start:end] = bytes(end - start)
    return not any(left[at] for at in range(body, len(text)) if not text[at].isspace())


def differences(client: httpx2.Client, files: Mapping[str, str]) -> list[str]:
    """Where what is indexed is not what the files are."""
    said = []
    indexed = _read(client.get("/info"))["files_indexed"]
    if indexed != len(files):
        said.append(f"{indexed} files are indexed, and there are {len(files)}")
    for path, text in files.items():
        reply = client.get(f"/lesson/{id_of(path)}")
        if reply.status_code != 200:
            said.append(f"{path}: {reply.text}")
            continue
        lesson = reply.json()
        chunks = in_order(lesson["chunks"])
        said += [f"{path}: {problem}" for problem in broken_links(chunks)]
        if lesson["text"] != text or not fits(chunks, text):
            said.append(f"{path}: it is not what the file is")
    return said


async def _search(client: httpx2.AsyncClient, path: str) -> Sequence[Mapping[str, Any]]:
    asked = {"query": "a b c", "parent_doc_id": id_of(path), "limit": MOST}
    return in_order(_read(await client.post("/search", json=asked))["results"])


async def _context(client: httpx2.AsyncClient, chunk_id: str) -> Sequence[Mapping[str, Any]]:
    reply = await client.get(f"/context/{chunk_id}?prev={MOST}&next={MOST}")
    chunks: list[Mapping[str, Any]] = [] if reply.status_code == 404 else _read(reply)["chunks"]
    return chunks


def _read(reply: httpx2.Response) -> Any:
    assert reply.status_code == 200, f"{reply.request.url}: {reply.status_code} {reply.text}"
    return reply.json()


def _shown(chunks: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    return [(chunk["chunk_index"], chunk["text"][-40:]) for chunk in chunks]
