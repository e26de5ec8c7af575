"""`sourcebook reindex`, as a process: on a folder that nobody serves, and beside a server."""

import json
from pathlib import Path

from tests.books import ROS
from tests.e2e.processes import run, serving

# The same weights with other prompts are another model.
MODELS = """
embeddings:
  - id: minilm
    path: bundled:all-MiniLM-L6-v2
  - id: prompted
    path: bundled:all-MiniLM-L6-v2
    document_prompt: "passage: "
    query_prompt: "query: "
"""
PLACE = ("--data-dir", "data", "--embeddings-config", "models.yml")


def test_a_book_changes_its_model_and_goes_back(tmp_path: Path) -> None:
    lesson = tmp_path / "docs" / ROS
    lesson.parent.mkdir(parents=True)
    lesson.write_text("# Topics\n\nNodes talk over topics.\n")
    (tmp_path / "models.yml").write_text(MODELS)
    assert run("ingest", "docs", *PLACE, cwd=tmp_path).code == 0

    changed = run("reindex", "book", "--model", "prompted", *PLACE, cwd=tmp_path)
    again = run("reindex", "book", "--model", "prompted", *PLACE, cwd=tmp_path)
    with serving("serve", "--port", "0", *PLACE, cwd=tmp_path) as server:
        back = run("reindex", "book", "--rollback", "--json", *PLACE, cwd=tmp_path)
        server.stop()
    verified = run("verify", "--data-dir", "data", cwd=tmp_path)

    assert changed.code == 0
    assert changed.out.startswith("book uses prompted: 1 chunk, 1 embedded"), changed.out
    assert (again.code, "already" in again.out) == (0, True)
    assert back.code == 0
    done = json.loads(back.out)
    assert (done["status"], done["embedding_model"]) == ("completed", "minilm")
    assert (done["progress"]["chunks_embedded"], done["rollback_to"]) == (0, "prompted")
    assert (verified.code, "clean" in verified.out) == (0, True)
