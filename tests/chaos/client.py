"""A client over HTTP that keeps the history of what it asked for, and what it sees."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from tests.chaos.checker import Observed, Seen, contradictions, states
from tests.chaos.history import DocumentId, History, State
from tests.tiny_models import LETTERS

HANG_S = 60.0

_versions = itertools.count(1)


class Client:
    """Asks a server for changes and keeps the history of them."""

    def __init__(self, url: str, history: History) -> None:
        self._http = httpx2.Client(base_url=url, timeout=HANG_S)
        self._history = history

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def create(self, name: str) -> None:
        """Create a collection."""
        self._ask("POST", "/collections", {"name": name, "embedding_model": "tiny"})

    def put(self, collection: str, documents: Sequence[dict[str, Any]]) -> None:
        """Add or replace documents."""
        effects = {(collection, d["id"]): seen(d).state for d in documents}
        path = f"/collections/{collection}/documents"
        self._change(effects, "POST", path, {"documents": list(documents)})

    def delete(self, collection: str, ids: Sequence[str]) -> None:
        """Delete documents."""
        effects = {(collection, id_): None for id_ in ids}
        self._change(effects, "DELETE", f"/collections/{collection}/documents", list(ids))

    def empty(self, collection: str) -> None:
        """Delete all documents of a collection that nobody else writes to."""
        effects = dict.fromkeys(self._history.ids(collection))
        self._change(effects, "DELETE", f"/collections/{collection}/documents/all", None)

    def listed(self, collection: str, name: str | None = None) -> Any:
        """The page of the documents of that name, or of all."""
        where = "" if name is None else f"&where={json.dumps({'name': name})}"
        return self._ask("GET", f"/collections/{collection}/documents?limit=1000{where}")

    def found(self, collection: str, name: str | None = None) -> list[Seen]:
        """The hits among the documents of that name, or among all."""
        where = {} if name is None else {"where": {"name": name}}
        body = {"collection": collection, "query": "a b c", "top_k": 1000, **where}
        return [seen(hit) for hit in self._ask("POST", "/query", body)["results"]]

    def observe(self) -> list[Observed]:
        """What a reader of every collection sees."""
        return [
            self._observe(described["name"], described["count"])
            for described in self._ask("GET", "/collections")["collections"]
        ]

    def _observe(self, name: str, count: int) -> Observed:
        page = self.listed(name)
        documents = tuple(seen(document) for document in page["documents"])
        return Observed(name, count, page["total"], documents, tuple(self.found(name)))

    def _change(
        self, effects: Mapping[DocumentId, State], method: str, path: str, body: object
    ) -> None:
        operation = self._history.begin(effects)
        self._ask(method, path, body)
        self._history.confirm(operation)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        reply = self._http.request(method, path, json=body)
        assert reply.status_code == 200, f"{method} {path}: {reply.status_code} {reply.text}"
        return reply.json()


def fresh(id_: str) -> dict[str, Any]:
    """A new version of a document, unlike any other; every third needs several points."""
    version = next(_versions)
    letters = [LETTERS[version // 26**place % 26] for place in range(3)]
    words = letters * (10 if version % 3 == 0 else 1)
    text = f"{' '.join(words)} {id_} version {version}"
    return {"id": id_, "text": text, "metadata": {"name": id_, "version": version}}


def seen(document: dict[str, Any]) -> Seen:
    """A document or hit of a reply."""
    return Seen(document["id"], document["text"], document["metadata"])


def judge(client: Client, history: History) -> list[str]:
    """What is wrong now that nobody writes; from here on, this is how it was."""
    observed = client.observe()
    said = [problem for each in observed for problem in contradictions(each)]
    said += history.violations(states(observed))
    history.settle(states(observed))
    return said
