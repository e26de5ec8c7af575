"""`sourcebook` with a task on its event loop that records how late it wakes, in milliseconds.

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
from sourcebook.service.http import server as service

if TYPE_CHECKING:
    import uvicorn

PROBE_INTERVAL_S = 0.02


async def record_lags(lags_ms: list[float]) -> None:
    """Record how late each sleep ends, until cancelled."""
    while True:
        before_s = time.perf_counter()
        await asyncio.sleep(PROBE_INTERVAL_S)
        lags_ms.append((time.perf_counter() - before_s - PROBE_INTERVAL_S) * 1000)


async def serve_and_record(server: "uvicorn.Server", listener: socket.socket) -> None:
    """Serve as usual, with the recording task running."""
    lags_ms: list[float] = []
    task = asyncio.create_task(record_lags(lags_ms))
    try:
        await serve(server, listener)
    finally:
        task.cancel()
        write_lags(lags_ms)


def write_lags(lags_ms: list[float]) -> None:
    Path(os.environ["BENCH_LAG_FILE"]).write_text(json.dumps(lags_ms), "utf-8")


if __name__ == "__main__":
    serve = service.serve_until_signal
    service.serve_until_signal = serve_and_record
    main()
