"""Nothing calls out unless it was configured to."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import asyncio, sys
from pathlib import Path
from sourcebook.providers.embedders.opening import open_embedder

async def use():
    place = "bundled:all-MiniLM-L6-v2"
    async with open_embedder("minilm", place, models_dir=Path("models")) as embedder:
        await embedder.embed_query("anything")

asyncio.run(use())
assert "openvino" in sys.modules
"""


def test_telemetry_is_not_imported_even_if_it_is_installed(tmp_path: Path) -> None:
    package = tmp_path / "openvino_telemetry"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('telemetry was imported')")
    path = os.pathsep.join([str(tmp_path), *sys.path])

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )

    assert done.returncode == 0, done.stderr


def test_openvino_is_imported_in_one_place_alone() -> None:
    source = Path(__file__).parents[4] / "src" / "sourcebook"
    importing = [
        path.name for path in source.rglob("*.py") if "import openvino" in path.read_text("utf-8")
    ]

    assert importing == ["silent_openvino.py"]
