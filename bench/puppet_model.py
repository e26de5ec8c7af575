"""An OpenAI-compatible server whose model says what a file tells it to.

Arguments: the file, then `--port` and a port. The file is a JSON object: what to say, by the
question.
"""

import asyncio
import json
import sys
from pathlib import Path

from bench.echo_model import serve_model


def main() -> None:
    """Serve until stopped."""
    told: dict[str, str] = json.loads(Path(sys.argv[1]).read_text("utf-8"))

    def says(prompt: str) -> list[str]:
        return [f"{said} [1]" for question, said in told.items() if question in prompt]

    asyncio.run(serve_model(int(sys.argv[sys.argv.index("--port") + 1]), says))


if __name__ == "__main__":
    main()
