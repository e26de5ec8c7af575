"""Reports how far a download is: to whoever watches, and now and then to the log."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

SHOW_INTERVAL_S = 0.2
LOG_INTERVAL_S = 10.0


class DownloadStopped(Exception):
    """Ends a download that nobody waits for any more."""


class ProgressBar(Protocol):
    """The part of a tqdm bar that the hub's client uses; a bar of ours counts bytes."""

    n: int
    total: int | None


class DownloadProgress:
    """Counts the bytes of one model. The client's threads report them as they arrive."""

    def __init__(
        self, model: str, show: Callable[[str], None], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._model = model
        self._show = show
        self._now_s = now_s
        self._shown_s = float("-inf")
        self._logged_s = now_s()
        self._lock = threading.Lock()
        self._stopped = False
        self._done = self._total = 0

    def stop(self) -> None:
        """Let the download end with DownloadStopped at the next bytes that arrive."""
        self._stopped = True

    def count(self, bar: ProgressBar, more: int) -> None:
        """Add bytes to a bar, and tell how far the download is.

        The client has two bars for the same bytes, as they arrive and as they are written.
        """
        if self._stopped:
            raise DownloadStopped
        with self._lock:
            bar.n += more
            self._done = max(self._done, bar.n)
            self._total = max(self._done, bar.total or 0)
            self._tell()

    def _tell(self) -> None:
        now_s, done, total = self._now_s(), _mb(self._done), _mb(self._total)
        if now_s - self._shown_s >= SHOW_INTERVAL_S:
            self._shown_s = now_s
            self._show(f"Downloading {self._model}: {done} of {total} MB …")
        if now_s - self._logged_s >= LOG_INTERVAL_S:
            self._logged_s = now_s
            log.info(
                "model_downloading",
                extra={"model": self._model, "mb_done": done, "mb_total": total},
            )


def _mb(size: int) -> int:
    return round(size / 1e6)
