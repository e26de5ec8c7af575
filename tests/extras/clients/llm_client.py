"""The command `llm` asks a book that its folder describes as a model; it shows the text alone."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

service, question = sys.argv[1:]
LLM = Path(sys.executable).with_name("llm")

with tempfile.TemporaryDirectory() as folder:
    model = {"model_id": "book", "model_name": "sourcebook", "api_base": f"{service}/v1"}
    (Path(folder) / "extra-openai-models.yaml").write_text(json.dumps([model]))

    def asked(*options):
        done = subprocess.run(
            [LLM, "-m", "book", *options, question],
            env={**os.environ, "LLM_USER_PATH": folder},
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout.removesuffix("\n")

    answer, streamed = asked("--no-stream"), asked()

print(json.dumps({"answer": answer, "streamed": streamed, "cited": [answer, streamed]}))
