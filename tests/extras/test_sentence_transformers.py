"""The sentence-transformers adapters on the real library, beside our own graph of each model."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder, open_openvino_embedder
from sourcebook.providers.embedders.sentence_transformers import (
    SentenceTransformersEmbedder,
    open_sentence_transformers_embedder,
)
from sourcebook.providers.rerankers.local_provider import LocalRerankerSettings
from sourcebook.providers.rerankers.openvino import open_openvino_cross_encoder
from sourcebook.providers.rerankers.sentence_transformers import (
    open_sentence_transformers_cross_encoder,
)
from sourcebook.testing.embedder_contract import ODD_TEXTS, TEXTS, EmbedderContract
from tests.extras.library_models import save_cross_encoder, save_embedder

OPENING = Opening("tiny", data_dir=Path("none"), models_dir=Path("none"))
MINILM = LocalEmbedderSettings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})


@pytest.fixture
async def theirs() -> AsyncIterator[SentenceTransformersEmbedder]:
    async with open_sentence_transformers_embedder(MINILM, OPENING) as embedder:
        yield embedder


@pytest.fixture
async def ours() -> AsyncIterator[OpenVinoEmbedder]:
    async with open_openvino_embedder(MINILM, OPENING, precision="f32") as embedder:
        yield embedder


class TestSentenceTransformersEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, theirs: SentenceTransformersEmbedder) -> Embedder:
        return theirs


async def test_our_graph_gives_the_vectors_of_the_library(
    theirs: SentenceTransformersEmbedder, ours: OpenVinoEmbedder
) -> None:
    texts = [*TEXTS, *ODD_TEXTS, ""]
    expected = await theirs.embed_documents(texts)
    found = await ours.embed_documents(texts)
    for text, one, other in zip(texts, found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5, err_msg=text)
    for text in texts[:3]:
        np.testing.assert_allclose(
            await ours.embed_query(text), await theirs.embed_query(text), atol=1e-5
        )


async def test_both_see_the_same_tokens_and_length(
    theirs: SentenceTransformersEmbedder, ours: OpenVinoEmbedder
) -> None:
    assert theirs.dimensions == ours.dimensions == 384
    assert await theirs.tokenize(ODD_TEXTS) == await ours.tokenize(ODD_TEXTS)


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
async def test_every_pooling_agrees_with_the_library(tmp_path: Path, pooling: str) -> None:
    save_embedder(tmp_path / "tiny", pooling)
    settings = LocalEmbedderSettings.model_validate({"path": str(tmp_path / "tiny")})
    texts = ["a b c", "z", "q w e r t y"]
    async with open_sentence_transformers_embedder(settings, OPENING) as embedder:
        expected = await embedder.embed_documents(texts)
    async with open_openvino_embedder(settings, OPENING, precision="f32") as embedder:
        found = await embedder.embed_documents(texts)
    np.testing.assert_allclose(found, expected, atol=1e-4)


async def test_a_cross_encoder_scores_as_our_graph_does(tmp_path: Path) -> None:
    save_cross_encoder(tmp_path)
    settings = LocalRerankerSettings.model_validate({"path": str(tmp_path)})
    texts = ["a b c", "z y x w v", "q", " ".join("abcdefghijklmnopqrstuvwxyz")]
    async with open_sentence_transformers_cross_encoder(settings, OPENING) as encoder:
        expected = await encoder.score("x y", texts)
        assert (await encoder.check()).status == "up"
        assert await encoder.score("x y", []) == []
    async with open_openvino_cross_encoder(settings, OPENING, precision="f32") as encoder:
        found = await encoder.score("x y", texts)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    # Far more than the tolerance, or equality would say little.
    assert max(expected) - min(expected) > 0.01


async def test_a_model_that_does_not_rank_is_refused(tmp_path: Path) -> None:
    save_cross_encoder(tmp_path, labels=3)
    settings = LocalRerankerSettings.model_validate({"path": str(tmp_path)})
    with pytest.raises(ConfigurationError, match="gives 3 labels"):
        await open_sentence_transformers_cross_encoder(settings, OPENING).__aenter__()


async def test_a_folder_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    settings = LocalEmbedderSettings.model_validate({"path": str(tmp_path / "nothing")})
    with pytest.raises(ConfigurationError, match="'nothing' could not be loaded"):
        await open_sentence_transformers_embedder(settings, OPENING).__aenter__()
