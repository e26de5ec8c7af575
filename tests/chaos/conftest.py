"""The command that serves a tiny model: real processes that start quickly."""

from pathlib import Path

import pytest

from tests.e2e.processes import write_config
from tests.tiny_models import save_tiny_embedder


@pytest.fixture
def serve(tmp_path: Path) -> tuple[str, ...]:
    save_tiny_embedder(tmp_path / "tiny")
    return ("serve", "--embeddings-config", write_config(tmp_path, tiny=str(tmp_path / "tiny")))
