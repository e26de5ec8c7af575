"""Requests a path every 20 ms until its input ends, then prints the latencies as JSON."""

import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

PROBE_INTERVAL_S = 0.02


def probe(url: str, ended: threading.Event) -> list[float]:
    """Return the latencies in ms, over one connection that stays open."""
    at = urlsplit(url)
    connection = http.client.HTTPConnection(at.netloc, timeout=60)
    latencies_ms = []
    while not ended.wait(PROBE_INTERVAL_S):
        started_s = time.perf_counter()
        connection.request("GET", at.path)
        connection.getresponse().read()
        latencies_ms.append((time.perf_counter() - started_s) * 1000)
    return latencies_ms


if __name__ == "__main__":
    input_ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        input_ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    print(json.dumps(probe(sys.argv[1], input_ended)))
