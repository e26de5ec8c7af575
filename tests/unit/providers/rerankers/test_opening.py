from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.rerankers.opening import open_reranker
from sourcebook.providers.rerankers.openvino import OpenVinoCrossEncoder
from tests.tiny_models import save_tiny_cross_encoder


async def test_a_folder_is_opened_with_openvino_unless_told_otherwise(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path / "my-reranker")
    async with open_reranker(str(tmp_path / "my-reranker"), models_dir=tmp_path) as reranker:
        assert isinstance(reranker, OpenVinoCrossEncoder)
        assert reranker.name == "my-reranker"
        assert len(await reranker.score("a", ["b", "c"])) == 2


async def test_an_unknown_provider_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'magic'. Available: \['openvino', 'sent"):
        async with open_reranker("owner/model", models_dir=tmp_path, provider="magic"):
            pass
