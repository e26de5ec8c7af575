from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference import local_models
from sourcebook.providers.inference.local_models import (
    BUNDLED_SHA256,
    EMBEDDER,
    LocatedModel,
    locate,
)

BUNDLED = "bundled:all-MiniLM-L6-v2"


def test_the_bundled_model_is_found_in_its_package(tmp_path: Path) -> None:
    model = locate(BUNDLED, tmp_path, EMBEDDER)
    assert model.name == "all-MiniLM-L6-v2"
    assert model.sha256 == BUNDLED_SHA256
    assert (model.folder / "model.safetensors").is_file()


def test_an_installed_copy_wins_over_the_package(tmp_path: Path) -> None:
    installed = tmp_path / "all-MiniLM-L6-v2"
    installed.mkdir()
    (installed / "model.safetensors").touch()
    assert locate(BUNDLED, tmp_path, EMBEDDER).folder == installed


def test_a_bundled_model_that_is_nowhere_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_models, "BUNDLED_PACKAGE", "no_such_package")
    with pytest.raises(ConfigurationError, match="run `sourcebook models install`"):
        locate(BUNDLED, tmp_path, EMBEDDER)


def test_other_weights_than_the_bundled_ones_are_refused() -> None:
    model = LocatedModel("all-MiniLM-L6-v2", Path(), BUNDLED_SHA256)
    model.check(BUNDLED_SHA256)
    with pytest.raises(ConfigurationError, match="run `sourcebook models install`"):
        model.check("0" * 64)


def test_only_one_model_is_bundled(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Available: \['all-MiniLM-L6-v2'\]"):
        locate("bundled:gpt", tmp_path, EMBEDDER)


def test_a_folder_is_named_by_its_last_part(tmp_path: Path) -> None:
    (tmp_path / "my-model").mkdir()
    model = locate(str(tmp_path / "my-model"), tmp_path, EMBEDDER)
    assert model == LocatedModel("my-model", tmp_path / "my-model")


@pytest.mark.parametrize("path", ["./nowhere", "/nowhere/at/all", "a/b/c", "~/nothing-here"])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigurationError, match="There is no model folder at"):
        locate(path, tmp_path, EMBEDDER)
