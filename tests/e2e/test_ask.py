"""`sourcebook ask`, as a process, with and without a server, with the real model."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.core.answers import NO_INFORMATION
from tests.e2e.conftest import SAMPLE
from tests.e2e.processes import Done, Server, run, serving

KNEE = "How far can Wren's knee bend?"
FRANCE = "What is the capital of France?"
JOINTS = "module-1-ros2/chapter-2-describing-a-robot/02-frames-and-joints.md"
SESSION = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"
WAIT_S = 60


@pytest.fixture(scope="module")
def indexed(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a data folder in which the sample book is."""
    root = tmp_path_factory.mktemp("indexed")
    shutil.copytree(ingested, root / "data")
    return root


@pytest.fixture(scope="module")
def served(
    quickstarted: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Path]]:
    root = tmp_path_factory.mktemp("served")
    shutil.copytree(quickstarted, root / "data")
    keys = dict.fromkeys(("GEMINI_API_KEY", "OPENAI_API_KEY", "COHERE_API_KEY"), "canary-key")
    with serving("quickstart", "--data-dir", "data", cwd=root, env=keys) as server:
        yield server, root


def ask(*arguments: str, cwd: Path) -> Done:
    return run("ask", *arguments, "--data-dir", "data", cwd=cwd)


def lines_of(place: str) -> str:
    """The lines of the sample book that a place names."""
    name, _, lines = place.strip().rpartition(":")
    first, _, last = lines.partition("-")
    text = (SAMPLE / name).read_text("utf-8").splitlines()
    return "\n".join(text[int(first) - 1 : int(last or first)])


@pytest.mark.spec("004 US1.1")
def test_an_answer_is_shown_with_the_lines_it_stands_on(indexed: Path) -> None:
    done = ask(KNEE, cwd=indexed)

    answer, _, headline, place, quote, *_ = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert "to 2.27 radians, or about 130°." in answer
    assert answer.endswith("[1]")
    assert headline == "[1] Lesson 2.2: Frames and Joints › Joint limits"
    assert place.strip().startswith(f"{JOINTS}:")
    assert quote.strip() in lines_of(place)
    assert "\x1b" not in done.out


@pytest.mark.spec("004 US1.4")
def test_what_the_book_does_not_say_is_refused_with_exit_code_1(indexed: Path) -> None:
    done = ask(FRANCE, cwd=indexed)

    assert (done.code, done.out, done.err) == (1, f"{NO_INFORMATION}\n", "")


def test_json_is_the_reply_of_the_api_on_one_line(indexed: Path) -> None:
    answered = ask(KNEE, "--json", "--tier", "1", "--top-k", "3", cwd=indexed)
    refused = ask(FRANCE, "--json", cwd=indexed)

    (line,) = answered.out.splitlines()
    reply = json.loads(line)
    assert (answered.code, refused.code) == (0, 1)
    assert reply["metadata"]["answered"] is True
    assert reply["metadata"]["chunks_retrieved"] <= 3
    source = reply["sources"][0]
    text = (SAMPLE / source["source_file"]).read_text("utf-8")
    assert text[source["char_start"] : source["char_end"]] == source["chunk_text"]
    assert json.loads(refused.out)["sources"] == []


@pytest.mark.spec("004 US2.1")
@pytest.mark.spec("004 US2.2")
def test_a_selection_is_the_only_source(indexed: Path) -> None:
    (indexed / "notes.md").write_text("# Notes\n\nThe pump runs at 42 bar.\n", "utf-8")

    inside = ask("At what pressure does the pump run?", "--selection", "notes.md", cwd=indexed)
    outside = ask(KNEE, "--selection", "notes.md", cwd=indexed)

    assert (inside.code, inside.out.splitlines()[0]) == (0, "The pump runs at 42 bar. [1]")
    assert "notes.md:3" in inside.out
    assert outside.code == 1
    assert outside.out.startswith("The provided selection does not contain information about")
    assert "without --selection" in outside.err


@pytest.mark.spec("004 FR-014")
@pytest.mark.spec("004 FR-015")
def test_a_conversation_goes_on_in_the_next_command(indexed: Path) -> None:
    begun = ask("What is a service?", "--session", "new", cwd=indexed)
    session = begun.err.split()[-1]

    again = ask("And how does it end?", "--session", session, "--json", cwd=indexed)
    alone = ask("And how does it end?", "--json", cwd=indexed)

    reply, first = json.loads(again.out), json.loads(alone.out)
    assert (reply["session_id"], reply["metadata"]["history"]) == (session, "saved")
    assert reply["metadata"]["query_strategy"] != first["metadata"]["query_strategy"]
    assert first["metadata"]["history"] == "none"


def test_a_book_that_is_not_indexed_is_an_error_that_says_how_to_index_it(indexed: Path) -> None:
    done = ask(KNEE, "--book", "other", cwd=indexed)

    assert (done.code, done.out) == (2, "")
    assert "sourcebook ingest DOCS" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--session", "mine"], "must be a UUID of version 4"),
        (["--selection", "nowhere.md"], "cannot be read"),
        (["--config", "nowhere.yml"], "nowhere.yml"),
        (["--tier", "9"], "--tier"),
    ],
)
def test_what_cannot_be_asked_is_one_message_and_exit_code_2(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    done = ask(KNEE, *arguments, cwd=tmp_path)

    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_questions_are_answered_beside_a_server(served: tuple[Server, Path]) -> None:
    _, root = served

    answered = ask(KNEE, "--session", "new", cwd=root)
    refused = ask(FRANCE, cwd=root)
    whole = ask(KNEE, "--session", SESSION, "--json", cwd=root)

    assert (answered.code, refused.code) == (0, 1), (answered.err, refused.err)
    assert "2.27 radians" in answered.out
    assert "--session " in answered.err
    assert json.loads(whole.out)["session_id"] == SESSION


def test_quickstart_suggests_asking(served: tuple[Server, Path]) -> None:
    server, root = served
    end_s = time.monotonic() + WAIT_S
    while "Press Ctrl+C" not in (said := (root / "server.log").read_text("utf-8")):
        assert time.monotonic() < end_s, said
        time.sleep(0.05)

    assert f'sourcebook ask "{KNEE}" --data-dir {root / "data"}' in said.replace("\n", "")
    assert f"curl -s {server.url}/chat" in said


def test_quickstart_leaves_the_keys_of_other_programs_alone_and_says_so(
    served: tuple[Server, Path],
) -> None:
    server, root = served

    reply = server.client.post("/chat", json={"query": KNEE}).json()

    said = (root / "server.log").read_text("utf-8")
    assert reply["metadata"]["model"] == "extractive"
    assert reply["metadata"]["fallback"] is None
    assert "  Embeddings          all-MiniLM-L6-v2, on this machine\n" in said
    assert "  Answers             quotes from the book (no language model)\n" in said
    assert "OPENAI_API_KEY is set, but not used: --llm openai" in said
    assert "canary" not in said


@pytest.fixture
def _ctrl_c_is_heard() -> Iterator[None]:
    """Children inherit that it is ignored, as it is where tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_is_heard")
def test_ctrl_c_ends_it_quietly(indexed: Path) -> None:
    command = [sys.executable, "-m", "sourcebook", "ask", KNEE, "--session", "new"]
    with subprocess.Popen(
        [*command, "--data-dir", "data"],
        cwd=indexed,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "--session" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)

    assert (process.returncode, out, err) == (130, "", "")
