"""The examples of docs/library.md run, one after another, and print what the page says."""

import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "library.md"
SAMPLE = Path(str(files("sourcebook.samples") / "book"))
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
TIMEOUT_S = 60


def test_every_example_prints_what_the_page_says(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    examples = EXAMPLE.findall(page)
    shutil.copytree(SAMPLE, tmp_path / "docs")

    assert len(examples) == page.count("```python") >= 3
    for code, printed in examples:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, printed), done.stderr
