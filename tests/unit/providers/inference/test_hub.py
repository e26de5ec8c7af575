from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference import hub
from sourcebook.providers.inference.local_models import locate

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def put_in_cache(cache: Path, hub_id: str) -> Path:
    model = cache / f"models--{hub_id.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    snapshot = model / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    return snapshot


@pytest.mark.spec("001 Download models without starting server")
def test_a_model_that_was_downloaded_is_read_from_the_cache(cache: Path) -> None:
    snapshot = put_in_cache(cache, "owner/model")
    model = locate("owner/model", cache, default_owner="")
    assert (model.name, model.folder) == ("owner/model", snapshot)


def test_a_name_without_an_owner_gets_the_usual_one(cache: Path) -> None:
    put_in_cache(cache, "sentence-transformers/model")
    model = locate("model", cache, default_owner="sentence-transformers")
    assert model.name == "sentence-transformers/model"


@pytest.mark.spec("001 Model load failure terminates startup")
def test_a_model_that_was_not_downloaded_says_how_to(cache: Path) -> None:
    with pytest.raises(ConfigurationError, match="sourcebook serve --download-models"):
        locate("owner/model", cache, default_owner="")


def test_a_failing_download_is_a_configuration_error(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(hub_id: str, **options: object) -> str:
        raise ConnectionError("no route")

    monkeypatch.setattr(hub, "snapshot_download", no_network)
    with pytest.raises(ConfigurationError, match="could not be downloaded: no route"):
        locate("owner/model", cache, download=True, default_owner="")


def test_only_files_without_code_are_wanted() -> None:
    assert set(hub.WANTED_FILES) == {"*.safetensors", "*.json", "*.txt", "*.model"}
