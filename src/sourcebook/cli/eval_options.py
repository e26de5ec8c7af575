"""What an evaluation measures, as the command line says it: a place, and how to search there."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.core.errors import InvalidInput

if TYPE_CHECKING:
    import httpx2

    from sourcebook.cli.eval_target import ServiceTarget
    from sourcebook.service.config.settings import Settings

Url = Annotated[str | None, typer.Option(help="A running service, such as http://localhost:8000.")]
Documents = Annotated[
    Path | None,
    typer.Option(
        help="A folder of documents, or a corpus of JSON lines: indexed in a temporary data"
        " folder first."
    ),
]
CollectionName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Search this collection instead of the book."),
]
SearchMode = Annotated[
    str | None, typer.Option(metavar="MODE", help="How to search: dense, keyword or hybrid.")
]
AGAINST_KEYS = ("url", "data-dir", "documents", "book", "collection", "mode")


@dataclass(frozen=True, slots=True)
class Place:
    """A running server, documents to index, or a data folder; without any, the configured one."""

    url: str | None = None
    data_dir: Path | None = None
    documents: Path | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """Where to search, what of it, and how."""

    place: Place = Place()
    book: str | None = None
    collection: str | None = None
    mode: str | None = None

    def __post_init__(self) -> None:
        place = self.place
        if sum(one is not None for one in (place.url, place.data_dir, place.documents)) > 1:
            raise InvalidInput("Choose one of --url, --data-dir and --documents")
        if self.book is not None and self.collection is not None:
            raise InvalidInput("Choose one of --book and --collection")

    @property
    def label(self) -> str:
        """A name for tables."""
        place = self.place
        where = place.url or place.documents or place.data_dir or "the data folder"
        parts = [str(where), self.book, self.collection, self.mode]
        return ", ".join(part for part in parts if part)


def parse_against(text: str, base: Configuration) -> Configuration:
    """Return the other one: a URL, a data folder, or `key=value,…` on top of the first."""
    if text.startswith(("http://", "https://")):
        return replace(base, place=Place(url=text))
    if "=" not in text:
        return replace(base, place=Place(data_dir=Path(text)))
    found = base
    for pair in text.split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        if key not in AGAINST_KEYS or not value:
            raise InvalidInput(
                f"--against {text!r} cannot be used: give a URL, a data folder, or pairs like"
                f" mode=dense with one of {', '.join(AGAINST_KEYS)}"
            )
        found = _changed(found, key, value)
    if found == base:
        raise InvalidInput(f"--against {text!r} is the same configuration: name another")
    return found


def _changed(base: Configuration, key: str, value: str) -> Configuration:
    match key:
        case "url":
            return replace(base, place=Place(url=value))
        case "data-dir":
            return replace(base, place=Place(data_dir=Path(value)))
        case "documents":
            return replace(base, place=Place(documents=Path(value)))
        case "book":
            return replace(base, book=value, collection=None)
        case "collection":
            return replace(base, collection=value, book=None)
        case _:
            return replace(base, mode=value)


@asynccontextmanager
async def open_targets(
    settings: "Settings",
    configurations: Sequence[Configuration],
    *,
    embeddings_config: Path | None = None,
    llm: str | None = None,
) -> AsyncIterator[list["ServiceTarget"]]:
    """Open what the configurations name; those of one place share it."""
    from sourcebook.cli.eval_target import Scope, ServiceTarget

    async with AsyncExitStack() as stack:
        opened: dict[Place, tuple[httpx2.AsyncClient, str | None]] = {}
        targets = []
        for one in configurations:
            if one.place not in opened:
                opened[one.place] = await _open(settings, one.place, stack, embeddings_config, llm)
            http, corpus = opened[one.place]
            targets.append(ServiceTarget(http, Scope(one.book, one.collection or corpus, one.mode)))
        yield targets


@asynccontextmanager
async def open_service(settings: "Settings", place: Place) -> AsyncIterator["httpx2.AsyncClient"]:
    """Open a client of the URL, or of the data folder."""
    from sourcebook.cli.existing_data import require_data
    from sourcebook.cli.opening import opened
    from sourcebook.cli.service_client import local_client, remote_client

    if place.url is not None:
        async with remote_client(settings, place.url) as http:
            yield http
        return
    require_data(settings)
    async with opened(settings, "manage") as use, local_client(use) as http:
        yield http


async def _open(
    settings: "Settings",
    place: Place,
    stack: AsyncExitStack,
    embeddings_config: Path | None,
    llm: str | None,
) -> "tuple[httpx2.AsyncClient, str | None]":
    import httpx2

    from sourcebook.cli.eval_index import indexed_documents
    from sourcebook.cli.eval_target import WaitingTransport
    from sourcebook.cli.existing_data import require_data
    from sourcebook.cli.opening import opened
    from sourcebook.cli.service_client import local_client, remote_client

    if place.documents is not None:
        if not place.documents.exists():
            raise InvalidInput(f"There are no documents at {str(place.documents)!r}")
        opening = indexed_documents(settings, place.documents, embeddings_config)
        return await stack.enter_async_context(opening)
    if place.url is not None:
        if llm is not None:
            raise InvalidInput(
                f"--llm {llm} cannot be used with --url: that service answers with its own model"
            )
        transport = WaitingTransport(httpx2.AsyncHTTPTransport())
        client = remote_client(settings, place.url, transport)
        return await stack.enter_async_context(client), None
    if place.data_dir is not None:
        settings = settings.model_copy(update={"data_dir": place.data_dir.expanduser().absolute()})
    require_data(settings)
    use = await stack.enter_async_context(opened(settings, "read"))
    return await stack.enter_async_context(local_client(use)), None
