from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.embedders.opening import open_embedder
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder
from tests.tiny_models import HIDDEN, save_tiny_embedder


@pytest.mark.spec("001 Model loading at startup")
@pytest.mark.parametrize("provider", [None, "openvino"])
async def test_a_folder_is_opened_with_openvino_unless_told_otherwise(
    tmp_path: Path, provider: str | None
) -> None:
    save_tiny_embedder(tmp_path / "my-model")
    async with open_embedder(
        "mine", str(tmp_path / "my-model"), models_dir=tmp_path, provider=provider
    ) as embedder:
        assert isinstance(embedder, OpenVinoEmbedder)
        assert (embedder.id, embedder.name, embedder.dimensions) == ("mine", "my-model", HIDDEN)
        assert len(await embedder.embed_query("a b c")) == HIDDEN


async def test_prompts_of_the_entry_are_used(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    path = str(tmp_path)
    async with (
        open_embedder("a", path, models_dir=tmp_path) as plain,
        open_embedder("b", path, models_dir=tmp_path, document_prompt="d ") as prompted,
    ):
        assert plain.revision != prompted.revision


async def test_an_unknown_provider_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'magic'. Available: \['openvino', 'sent"):
        async with open_embedder("x", "owner/model", models_dir=tmp_path, provider="magic"):
            pass
