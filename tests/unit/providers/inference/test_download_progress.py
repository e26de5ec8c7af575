"""How far a download is: shown often, logged now and then, and never after it was stopped."""

import logging
from dataclasses import dataclass

import pytest

from sourcebook.providers.inference.download_progress import DownloadProgress, DownloadStopped
from tests.fakes import FakeClock

MB = 1_000_000


@dataclass
class FakeBar:
    n: int = 0
    total: int | None = 0


def test_it_is_shown_and_logged_as_time_passes(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    shown: list[str] = []
    progress, bar = DownloadProgress("a/b", shown.append, clock), FakeBar(total=400 * MB)

    with caplog.at_level(logging.INFO):
        for seconds in (0.0, 0.1, 0.2, 10.0, 1.0):
            clock.now_s += seconds
            progress.count(bar, 50 * MB)

    assert shown == [
        "Downloading a/b: 50 of 400 MB …",
        "Downloading a/b: 150 of 400 MB …",
        "Downloading a/b: 200 of 400 MB …",
        "Downloading a/b: 250 of 400 MB …",
    ]
    (record,) = caplog.records
    assert (record.message, vars(record)["mb_done"], vars(record)["mb_total"]) == (
        "model_downloading",
        200,
        400,
    )


def test_two_bars_for_the_same_bytes_do_not_count_twice(clock: FakeClock) -> None:
    shown: list[str] = []
    progress = DownloadProgress("a/b", shown.append, clock)

    for bar in (FakeBar(total=90 * MB), FakeBar(total=90 * MB)):
        clock.now_s += 1
        progress.count(bar, 60 * MB)

    assert shown == ["Downloading a/b: 60 of 90 MB …"] * 2


def test_a_download_that_was_stopped_takes_no_more(clock: FakeClock) -> None:
    progress = DownloadProgress("a/b", print, clock)
    progress.stop()

    with pytest.raises(DownloadStopped):
        progress.count(FakeBar(), 1)
