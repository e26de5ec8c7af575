"""`sourcebook` with a task on its event loop that notes how late it wakes, in milliseconds.

The delays are written as JSON to the file that BENCH_LAG_FILE names when the server ends.
"""

import asyncio
import json
import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.cli.main import main
from sourcebook.service import server as service

if TYPE_CHECKING:
    import uvicorn

EVERY_S = 0.02


async def note_lags(lags_ms: list[float]) -> None:
    """Sleep and compare; ends when it is cancelled."""
    while True:
        before_s = time.perf_counter()
        await asyncio.sleep(EVERY_S)
        lags_ms.append((time.perf_counter() - before_s - EVERY_S) * 1000)


async def serve_and_note(server: "uvicorn.Server", listener: socket.socket) -> None:
    """Serve as always, with the task beside it."""
    lags_ms: list[float] = []
    task = asyncio.create_task(note_lags(lags_ms))
    try:
        await serve(server, listener)
    finally:
        task.cancel()
        keep(lags_ms)


def keep(lags_ms: list[float]) -> None:
    """Write the delays down."""
    Path(os.environ["BENCH_LAG_FILE"]).write_text(json.dumps(lags_ms), "utf-8")


if __name__ == "__main__":
    serve = service.serve_until_signal
    service.serve_until_signal = serve_and_note
    main()
