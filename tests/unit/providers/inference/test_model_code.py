"""Which code a model brings: its own modules, and the repositories that it takes code from."""

import json
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.model_code import check_code, code_repositories, own_modules
from tests.tiny_models import save_tiny_embedder


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def test_a_model_of_the_library_alone_has_no_code(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)

    assert own_modules(tmp_path) == []
    assert code_repositories(tmp_path) == []
    check_code("tiny", tmp_path, "advice")


def test_a_module_of_the_model_is_code(tmp_path: Path) -> None:
    library = "sentence_transformers.models.Pooling"
    modules = [{"type": "own.Transformer"}, {"type": library}, {"type": None}, "odd"]
    write(tmp_path / "modules.json", modules)

    assert own_modules(tmp_path) == ["own.Transformer"]
    with pytest.raises(ConfigurationError, match=r"'x' needs Python code .* not run. The advice"):
        check_code("x", tmp_path, "The advice")


def test_code_may_be_in_other_repositories(tmp_path: Path) -> None:
    write(tmp_path / "modules.json", [{"type": "a/modules--own.Transformer"}])
    mapped = {
        "AutoConfig": "b/code--c.C",
        "AutoModel": "own.M",
        "AutoTokenizer": [None, "c/t--t.T"],
    }
    write(tmp_path / "0_Transformer" / "config.json", {"auto_map": mapped})
    write(tmp_path / "tokenizer_config.json", {"auto_map": ["odd"]})
    write(tmp_path / "config.json", ["odd"])

    assert code_repositories(tmp_path) == ["a/modules", "b/code", "c/t"]
