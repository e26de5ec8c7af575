"""Logs are one event a line, with what was said about it."""

import json
import logging

import pytest
import structlog

from sourcebook.service.logging import set_up_logging


@pytest.fixture(autouse=True)
def _restored() -> object:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    return None


def test_an_event_is_one_line_of_json_with_its_request(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("info", "json")

    with structlog.contextvars.bound_contextvars(request_id="r1"):
        logging.getLogger("test").info("model_loaded", extra={"model": "minilm", "dimensions": 3})
        logging.getLogger("test").debug("not shown")

    (line,) = capsys.readouterr().err.splitlines()
    event = json.loads(line)
    assert event.pop("timestamp")
    assert event == {
        "event": "model_loaded",
        "level": "info",
        "logger": "test",
        "model": "minilm",
        "dimensions": 3,
        "request_id": "r1",
    }


def test_a_crash_is_still_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("info", "json")

    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("test").exception("crashed")

    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError: broken" in json.loads(line)["exception"]


def test_a_traceback_on_a_terminal_shows_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("info", "text")

    try:
        _crash("what a reader asked")
    except ValueError:
        logging.getLogger("test").exception("crashed")

    shown = capsys.readouterr().err
    assert "ValueError: broken" in shown
    assert "what a reader asked" not in shown.replace('_crash("what a reader asked")', "")


def _crash(question: str) -> None:
    assert question
    raise ValueError("broken")
