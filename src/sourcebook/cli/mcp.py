"""`sourcebook mcp`: lets an agent on this machine read the books over standard input and output."""

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from sourcebook.cli.existing_data import require_data
from sourcebook.cli.options import Config, DataDir, EmbeddingsConfig, Llm, settings_from

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from sourcebook.service.config.settings import Settings

PATH = "/mcp"


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
    """Serve the books to an agent by the Model Context Protocol, over standard input and output.

    It goes through a service that runs on the same data folder, or opens the folder itself.
    """
    import asyncio

    settings = settings_from(
        config,
        log_level="error",
        data_dir=data_dir,
        embeddings_config=embeddings_config,
        llm=llm,
    )
    require_data(settings)
    bounds = {"book": book, "tier": tier}
    query = urlencode({name: value for name, value in bounds.items() if value is not None})
    asyncio.run(_serve(settings, f"{PATH}?{query}" if query else PATH, llm))


async def _serve(settings: "Settings", path: str, llm: str | None) -> None:
    """Pass messages on in both directions until standard input ends and all is answered."""
    import anyio
    from mcp.client.streamable_http import streamable_http_client
    from mcp.server.stdio import stdio_server

    from sourcebook.cli.connect import connect, request_timeout_s

    # Not "read": others that want the data folder go through this process, however long it runs.
    async with (
        stdio_server() as (from_agent, to_agent),
        to_agent,
        connect(settings, "maintain", "sourcebook mcp", llm=llm) as http,
        streamable_http_client(
            str(http.base_url.join(path)), http_client=http, terminate_on_close=False
        ) as (from_service, to_service),
        anyio.create_task_group() as tasks,
    ):
        bridge = _Bridge(request_timeout_s(settings))
        tasks.start_soon(bridge.answer, from_service, to_agent)
        await bridge.ask(from_agent, to_service)
        tasks.cancel_scope.cancel()


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
        to_service: "WriteStream[SessionMessage]",
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
            await to_service.send(message)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                await self._answered.wait()

    async def answer(
        self,
        from_service: "ReadStream[SessionMessage | Exception]",
        to_agent: "WriteStream[SessionMessage]",
    ) -> None:
        """Pass on what the service answers."""
        async for message in from_service:
            if isinstance(message, Exception):
                continue
            await to_agent.send(message)
            self._waiting.discard(getattr(message.message, "id", ""))
            if not self._waiting:
                self._answered.set()
