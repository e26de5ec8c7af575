"""The declarations of what runs on this machine: opened from the registry, as the service does."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError, NotFound
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ProviderKind
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import validate_settings
from sourcebook.providers.rerankers.openvino import OpenVinoCrossEncoder
from sourcebook.providers.vector_stores.chroma.settings import folder_inside
from tests.tiny_models import save_tiny_cross_encoder, save_tiny_embedder


async def opened(data_dir: Path, kind: ProviderKind, provider: str, **config: JsonValue) -> object:
    """What a provider opens; it is closed again before it is returned."""
    declared = Registry().load(provider, kind)
    settings = validate_settings(declared.settings, config, environment=None)
    opening = Opening("mine", data_dir=data_dir, models_dir=data_dir / "models")
    async with declared.open(settings, opening) as found:
        return found


@pytest.mark.parametrize("outside", ["..", "../x", "a/../../x", "a/../b", "/etc", ".", "", "\x00"])
def test_the_embedded_store_stays_in_the_data_folder(tmp_path: Path, outside: str) -> None:
    with pytest.raises(ConfigurationError, match="outside the data folder") as caught:
        folder_inside(tmp_path / "data", outside)
    assert str(tmp_path) not in caught.value.message


def test_a_whole_path_inside_the_data_folder_is_taken(tmp_path: Path) -> None:
    assert folder_inside(tmp_path, str(tmp_path / "a")) == tmp_path / "a"
    assert folder_inside(tmp_path, "a/./b") == tmp_path / "a" / "b"


async def test_a_model_is_opened_under_its_alias_with_its_prompts(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path / "tiny")
    path = str(tmp_path / "tiny")

    plain = await opened(tmp_path, "embedders", "openvino", path=path)
    prompted = await opened(tmp_path, "embedders", "openvino", model=path, query_prompt="q ")

    assert isinstance(plain, OpenVinoEmbedder)
    assert isinstance(prompted, OpenVinoEmbedder)
    assert (plain.id, plain.name) == ("mine", "tiny")
    assert plain.revision != prompted.revision


async def test_a_cross_encoder_is_opened(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path / "tiny")

    found = await opened(tmp_path, "rerankers", "openvino", path=str(tmp_path / "tiny"))

    assert isinstance(found, OpenVinoCrossEncoder)


async def test_a_model_that_is_not_there_is_a_matter_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no model folder"):
        await opened(tmp_path, "embedders", "openvino", path="./nowhere/at/all")


@pytest.mark.parametrize("kind", ["embedders", "rerankers"])
async def test_an_unknown_provider_is_refused_with_what_there_is(
    tmp_path: Path, kind: ProviderKind
) -> None:
    with pytest.raises(NotFound, match=r"'magic' .*Available providers: .*openvino, .*sentence-"):
        await opened(tmp_path, kind, "magic", path="owner/model")
