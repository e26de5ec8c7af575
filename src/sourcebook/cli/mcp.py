"""`sourcebook mcp`: lets an agent on this machine read the books over standard input and output."""

from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, Llm, settings_from

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from sourcebook.service.config.settings import Settings

# Longer than an answer may take.
REPLY_MARGIN_S = 10.0


def mcp(
    book: Annotated[
        str | None, typer.Option(help="Read this book alone.", show_default=False)
    ] = None,
    tier: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Your hardware tier: nothing above it is read."),
    ] = None,
    llm: Llm = None,
    data_dir: DataDir = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
) -> None:
    """Serve the books to an agent by the Model Context Protocol, over standard input and output."""
    import asyncio

    settings = settings_from(
        config,
        log_level="error",
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        llm=llm,
    )
    require_data(settings)
    asyncio.run(_serve(settings, book, tier))


async def _serve(settings: "Settings", book: str | None, tier: int | None) -> None:
    """Pass messages on in both directions until standard input ends and all is answered."""
    import anyio
    from mcp.server.stdio import stdio_server
    from mcp.shared.memory import create_client_server_memory_streams

    from sourcebook.cli.opening import opened
    from sourcebook.surfaces.api_keys import Grant
    from sourcebook.surfaces.links import Links
    from sourcebook.surfaces.mcp.caller import CALLER, Caller
    from sourcebook.surfaces.mcp.server import book_server

    async with (
        stdio_server() as (from_agent, to_agent),
        to_agent,
        opened(settings, "read") as use,
        create_client_server_memory_streams() as ((from_server, to_server), server_streams),
        anyio.create_task_group() as tasks,
    ):
        grant = Grant("agent").narrowed(book, tier)
        CALLER.set(Caller(None, use, grant, Links(base_url(settings))))
        server = book_server()._lowlevel_server
        tasks.start_soon(server.run, *server_streams, server.create_initialization_options())
        bridge = _Bridge(settings.chat_timeout_s + REPLY_MARGIN_S)
        tasks.start_soon(bridge.answer, from_server, to_agent)
        await bridge.ask(from_agent, to_server)
        tasks.cancel_scope.cancel()


def base_url(settings: "Settings") -> str:
    """Return what addresses begin with: where a service of these settings would be."""
    return settings.public_url or f"http://{settings.host}:{settings.port}"


class _Bridge:
    """Passes messages on, and knows which requests wait for their answer."""

    def __init__(self, timeout_s: float) -> None:
        import asyncio

        self._timeout_s = timeout_s
        self._waiting: set[str | int] = set()
        self._answered = asyncio.Event()
        self._answered.set()

    async def ask(
        self,
        from_agent: "ReadStream[SessionMessage | Exception]",
        to_server: "WriteStream[SessionMessage]",
    ) -> None:
        """Pass on what the agent sends until it sends no more, and stay for the answers."""
        import asyncio
        from contextlib import suppress

        from mcp_types import JSONRPCRequest

        async for message in from_agent:
            # What cannot be parsed is nobody's request: nobody waits for a reply to it.
            if isinstance(message, Exception):
                continue
            if isinstance(message.message, JSONRPCRequest):
                self._waiting.add(message.message.id)
                self._answered.clear()
            await to_server.send(message)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                await self._answered.wait()

    async def answer(
        self,
        from_server: "ReadStream[SessionMessage | Exception]",
        to_agent: "WriteStream[SessionMessage]",
    ) -> None:
        """Pass on what the server answers."""
        async for message in from_server:
            if isinstance(message, Exception):
                continue
            await to_agent.send(message)
            self._waiting.discard(getattr(message.message, "id", ""))
            if not self._waiting:
                self._answered.set()
