"""The models of this machine: those of the hub are downloaded before anything is opened."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.cli.serve import fetch_missing_models
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.local_models import CROSS_ENCODER, EMBEDDER, locate
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.models import fetch_models, open_model
from tests.hub_server import HubServer, hub_server, use_hub
from tests.tiny_models import save_tiny_cross_encoder, save_tiny_embedder

ENTRY = ModelEntry(id="tiny", path="owner/tiny")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    save_tiny_embedder(tmp_path / "embedder")
    save_tiny_cross_encoder(tmp_path / "cross-encoder")
    with hub_server() as server:
        server.add("owner/tiny", tmp_path / "embedder")
        server.add("cross-encoder/tiny", tmp_path / "cross-encoder")
        use_hub(monkeypatch, server, tmp_path / "cache")
        yield server


@pytest.mark.spec("001 Model loading at startup")
async def test_models_that_are_missing_are_downloaded(hub: HubServer, tmp_path: Path) -> None:
    await fetch_models(load_settings(cross_encoder="tiny"), [ENTRY], print)

    hub.requested.clear()
    for path, role in (("owner/tiny", EMBEDDER), ("tiny", CROSS_ENCODER)):
        assert (locate(path, tmp_path, role).folder / "model.safetensors").is_file()
    assert hub.requested == []


@pytest.mark.spec("001 Model load failure terminates startup")
async def test_offline_a_missing_model_is_an_error_that_names_the_way_out(
    hub: HubServer, tmp_path: Path
) -> None:
    settings = load_settings(offline=True)

    await fetch_models(settings, [ENTRY], print)

    with pytest.raises(ConfigurationError, match="without --offline"):
        async with open_model(settings, ENTRY, DataFolder(tmp_path)):
            pass
    assert hub.requested == []


def test_an_interrupted_download_says_what_the_next_start_does() -> None:
    class Interrupted(list[ModelEntry]):
        def __iter__(self) -> Iterator[ModelEntry]:
            raise KeyboardInterrupt

    with (
        err.status("Loading") as status,
        pytest.raises(ConfigurationError, match="The download was interrupted"),
    ):
        fetch_missing_models(load_settings(), Interrupted(), status)
