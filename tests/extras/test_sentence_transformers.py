"""The sentence-transformers adapters on the real library, beside our own graph of each model."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.local_provider import SentenceTransformersSettings
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
MINILM = SentenceTransformersSettings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})


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
    settings = SentenceTransformersSettings.model_validate({"path": str(tmp_path / "tiny")})
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
    settings = SentenceTransformersSettings.model_validate({"path": str(tmp_path / "nothing")})
    with pytest.raises(ConfigurationError, match="'nothing' could not be loaded"):
        await open_sentence_transformers_embedder(settings, OPENING).__aenter__()


OWN_MODULE = """
from sentence_transformers.sentence_transformer.modules import Pooling


class OwnPooling(Pooling):
    pass
"""


async def test_code_of_a_model_runs_only_if_it_is_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    save_embedder(folder, "mean")
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "own_module.OwnPooling"
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "own_module.py").write_text(OWN_MODULE)
    plain = SentenceTransformersSettings.model_validate({"path": str(folder)})
    trusting = plain.model_copy(update={"trust_remote_code": True})

    with pytest.raises(ConfigurationError, match="set `trust_remote_code: true`"):
        await open_sentence_transformers_embedder(plain, OPENING).__aenter__()
    async with open_sentence_transformers_embedder(trusting, OPENING) as embedder:
        assert len(await embedder.embed_query("a b")) == embedder.dimensions


async def test_a_model_whose_kind_needs_code_names_the_option(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    save_embedder(folder, "mean")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own-kind", "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (folder / "config.json").write_text(json.dumps(config))
    settings = SentenceTransformersSettings.model_validate({"path": str(folder)})

    with pytest.raises(ConfigurationError, match="set `trust_remote_code: true`"):
        await open_sentence_transformers_embedder(settings, OPENING).__aenter__()
