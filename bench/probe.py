"""Asks a path every 20 ms until its input ends, then writes how long each answer took, as JSON."""

import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

EVERY_S = 0.02


def probe(url: str, ended: threading.Event) -> list[float]:
    """The times in milliseconds; one connection, which stays open."""
    at = urlsplit(url)
    connection = http.client.HTTPConnection(at.netloc, timeout=60)
    latencies_ms = []
    while not ended.wait(EVERY_S):
        started_s = time.perf_counter()
        connection.request("GET", at.path)
        connection.getresponse().read()
        latencies_ms.append((time.perf_counter() - started_s) * 1000)
    return latencies_ms


if __name__ == "__main__":
    input_ended = threading.Event()

    def wait_for_end() -> None:
        """Read until there is no more."""
        sys.stdin.read()
        input_ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    print(json.dumps(probe(sys.argv[1], input_ended)))
