"""The examples of docs/library.md run, one after another, and print what the page says."""

import re
import runpy
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "library.md"
SAMPLE = Path(str(files("sourcebook.samples") / "book"))
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def test_every_example_prints_what_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text("utf-8")
    examples = EXAMPLE.findall(page)
    shutil.copytree(SAMPLE, tmp_path / "docs")

    assert len(examples) == page.count("```python") >= 3
    for code, printed in examples:
        # In this process: it has imported already what takes longer to import than to run.
        (tmp_path / "example.py").write_text(code, "utf-8")
        runpy.run_path("example.py", run_name="__main__")
        assert capsys.readouterr().out == printed
