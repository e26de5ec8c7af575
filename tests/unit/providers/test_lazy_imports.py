import subprocess
import sys

import pytest

HEAVY = {"numpy", "openvino", "tokenizers", "safetensors", "huggingface_hub", "torch"} | {
    "openai",
    "agents",
}


@pytest.mark.parametrize(
    "module",
    [
        "sourcebook.providers.embedders.caching",
        "sourcebook.providers.embedders.local_provider",
        "sourcebook.providers.rerankers.local_provider",
        "sourcebook.providers.inference.local_models",
        "sourcebook.providers.language_models.endpoint",
    ],
)
def test_what_the_command_line_imports_loads_no_model_library(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert HEAVY.isdisjoint(done.stdout.split())
