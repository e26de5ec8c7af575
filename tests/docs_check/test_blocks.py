"""The command blocks of a page are found, with what the page says that they print."""

import subprocess
from pathlib import Path

import pytest

from tests.docs_check.__main__ import pages
from tests.docs_check.blocks import Command, commands, find_blocks
from tests.docs_check.shell import BASH, ROOT

PAGE = """\
Ask:

```bash
sourcebook ask "What?"   # a question
```

```text
An answer.
```

Some words.

```json
{"a": "request"}
```

<!-- docs-check: skip because it needs Docker -->
```sh
docker run x
```

1. In a list:

   <!-- docs-check: first touch notes.md -->
   <!-- docs-check: file embeddings.yml -->
   ```yaml
   embeddings:
     - id: a
   ```
"""


def test_a_block_has_the_output_that_follows_at_once() -> None:
    ask, docker, file = find_blocks(PAGE)

    assert (ask.line, ask.shown, ask.skip) == (3, "An answer.\n", None)
    assert (docker.skip, docker.shown) == ("it needs Docker", None)
    assert (file.file, file.first) == ("embeddings.yml", ("touch notes.md",))
    assert file.text == "embeddings:\n  - id: a\n"


def test_a_session_is_split_at_its_prompts() -> None:
    page = "```console\n$ one \\\n    --more\nits output\nand more\n$ two\n```\n"

    (block,) = find_blocks(page)

    assert commands(block) == [
        Command("one \\\n    --more", "its output\nand more\n"),
        Command("two"),
    ]


def test_a_shell_s_block_is_split_into_whole_commands() -> None:
    page = """```bash
# what it is about
cat > x.yml <<'YAML'
a: 1
YAML
curl x \\
  -d '{}'
# {"status": "created",
#  "chunkCount": 1}

export A=1
```
"""
    (block,) = find_blocks(page)

    assert commands(block) == [
        Command("cat > x.yml <<'YAML'\na: 1\nYAML"),
        Command("curl x \\\n  -d '{}'", '{"status": "created",\n "chunkCount": 1}\n'),
        Command("export A=1"),
    ]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_the_pages_is_valid_shell(page: Path) -> None:
    shell = [
        command.text
        for block in find_blocks(page.read_text("utf-8"))
        if block.file is None and block.runnable and block.language != "python"
        for command in commands(block)
    ]

    done = subprocess.run(
        [BASH, "-n"], input="\n".join(shell), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_skipped_has_a_reason() -> None:
    blocks = [block for page in pages() for block in find_blocks(page.read_text("utf-8"))]

    assert all(block.skip is None or len(block.skip.split()) >= 3 for block in blocks)
