"""An OpenAI-compatible server whose model says what a file tells it to.

Arguments: the file, then `--port` and a port. The file is a JSON object: what to say, and the
sentences that it was made from, by the question. It names the statements that hold these.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

from bench.echo_model import serve_model, statements

_WORD = re.compile(r"[^\W_]+")


def main() -> None:
    """Serve until stopped."""
    told: dict[str, tuple[str, str]] = json.loads(Path(sys.argv[1]).read_text("utf-8"))

    def says(prompt: str) -> list[str]:
        return [
            f"{said} {_ids(prompt, evidence) or '[1]'}"
            for question, (said, evidence) in told.items()
            if question in prompt
        ]

    asyncio.run(serve_model(int(sys.argv[sys.argv.index("--port") + 1]), says))


def _ids(prompt: str, evidence: str) -> str:
    """Return the ids of the statements that are a part of the evidence, or hold all of it."""
    wanted = _words(evidence)
    named = [
        f"[{id_}]"
        for id_, text in statements(prompt)
        if (said := _words(text)) and (_has(wanted, said) or _has_in_order(said, wanted))
    ]
    return "".join(named)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _has(words: list[str], others: list[str]) -> bool:
    """Return whether some words stand side by side in others; a single one may be chance."""
    return len(others) > 1 and f" {' '.join(others)} " in f" {' '.join(words)} "


def _has_in_order(words: list[str], others: list[str]) -> bool:
    """Return whether other words stand among these in order, as those of a row do."""
    rest = iter(words)
    return all(word in rest for word in others)


if __name__ == "__main__":
    main()
