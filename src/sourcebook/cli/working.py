"""What `worker` does. Imports the service, so the command loads it only when it runs."""

import asyncio

import uvloop
from rich.console import Console

from sourcebook.service.models import model_entries
from sourcebook.service.settings import Settings
from sourcebook.service.worker import run_worker

# Logs go to standard error as well, so standard output stays free for what was asked for.
console = Console(stderr=True, highlight=False, soft_wrap=True)


def work(settings: Settings, health_port: int | None) -> None:
    """Work until a signal comes."""
    entries = model_entries(settings)
    with console.status("Loading models …") as status:

        async def announce(url: str | None) -> None:
            status.stop()
            probes = "" if url is None else f" (probes: {url}/readyz)"
            console.print(f"[bold]Sourcebook works[/]{probes}")

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run_worker(settings, entries, health_port, announce))
