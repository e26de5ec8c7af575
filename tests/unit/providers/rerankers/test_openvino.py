import json
import math
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import numpy as np
import pytest

from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.providers.declaration import Opening
from sourcebook.providers.inference.openvino_runtime import Precision
from sourcebook.providers.rerankers.local_provider import LocalRerankerSettings
from sourcebook.providers.rerankers.openvino import (
    OpenVinoCrossEncoder,
    open_openvino_cross_encoder,
)
from tests.tiny_models import VOCABULARY, Tensors, save_tiny_cross_encoder, save_tiny_embedder
from tests.unit.providers import numpy_bert

CLS, SEP = VOCABULARY["[CLS]"], VOCABULARY["[SEP]"]


def opened(
    folder: Path, precision: Precision | None = None
) -> AbstractAsyncContextManager[OpenVinoCrossEncoder]:
    settings = LocalRerankerSettings.model_validate({"path": str(folder)})
    opening = Opening("openvino", data_dir=folder, models_dir=folder)
    return open_openvino_cross_encoder(settings, opening, precision=precision)


def ids(letters: str) -> list[int]:
    return [VOCABULARY[letter] for letter in letters]


def spaced(letters: str) -> str:
    return " ".join(letters)


def expected_logit(tensors: Tensors, model_type: str, query: str, text: str) -> float:
    if model_type != "bert":
        pair = [CLS, *ids(query), SEP, SEP, *ids(text), SEP]
        return numpy_bert.score_roberta(tensors, pair)
    first, second = [CLS, *ids(query), SEP], [*ids(text), SEP]
    types = [0] * len(first) + [1] * len(second)
    return numpy_bert.score_bert(tensors, first + second, types)


@pytest.mark.parametrize("model_type", ["bert", "roberta", "xlm-roberta"])
async def test_scores_are_the_logits_that_bert_computes(tmp_path: Path, model_type: str) -> None:
    tensors = save_tiny_cross_encoder(tmp_path, model_type)
    texts = ["abc", "", "zyxwv", "q"]
    async with opened(tmp_path, "f32") as encoder:
        scores = await encoder.score("x y", [spaced(text) for text in texts])
    expected = [expected_logit(tensors, model_type, "xy", text) for text in texts]
    np.testing.assert_allclose(scores, expected, atol=1e-4)


async def test_the_best_window_of_a_long_text_counts(tmp_path: Path) -> None:
    tensors = save_tiny_cross_encoder(tmp_path)
    async with opened(tmp_path, "f32") as encoder:
        scores = await encoder.score("x y", [spaced("abcdefgopqrstu")])
    windows = [expected_logit(tensors, "bert", "xy", part) for part in ("abcdefg", "opqrstu")]
    assert scores == [pytest.approx(max(windows), abs=1e-4)]


async def test_no_texts_need_no_scores(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path / "tiny")
    async with opened(tmp_path / "tiny") as encoder:
        assert encoder.name == "tiny"
        assert await encoder.score("a", []) == []
        assert (await encoder.check()).status == "up"
    assert (await encoder.check()).status == "down"
    with pytest.raises(Unavailable):
        await encoder.score("a", ["b"])


@pytest.mark.parametrize(
    "place",
    [
        ("config.json", {"sentence_transformers": {"activation_fn": "torch.nn.Sigmoid"}}),
        ("config.json", {"sbert_ce_default_activation_function": "torch.nn.Sigmoid"}),
        ("config_sentence_transformers.json", {"activation_fn": "torch.nn.Sigmoid"}),
        ("config.json", {}),
    ],
)
async def test_one_label_means_a_sigmoid_unless_the_folder_says_otherwise(
    tmp_path: Path, place: tuple[str, dict[str, object]]
) -> None:
    tensors = save_tiny_cross_encoder(tmp_path, activation=None)
    file, fields = place
    path = tmp_path / file
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, **fields}))
    async with opened(tmp_path, "f32") as encoder:
        (score,) = await encoder.score("x", ["a b"])
    logit = expected_logit(tensors, "bert", "x", "ab")
    assert score == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-4)


async def test_bf16_is_used_only_if_it_agrees(tmp_path: Path) -> None:
    tensors = save_tiny_cross_encoder(tmp_path)
    async with opened(tmp_path) as encoder:
        (score,) = await encoder.score("x", ["a b"])
    assert score == pytest.approx(expected_logit(tensors, "bert", "x", "ab"), abs=0.1)


async def test_another_activation_is_refused(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path, activation="torch.nn.Softplus")
    with pytest.raises(ConfigurationError, match=r"activation 'torch\.nn\.Softplus'"):
        async with opened(tmp_path):
            pass


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
async def test_a_classifier_of_several_labels_is_refused(tmp_path: Path, model_type: str) -> None:
    save_tiny_cross_encoder(tmp_path, model_type, labels=3)
    with pytest.raises(ConfigurationError, match="gives 3 labels"):
        async with opened(tmp_path):
            pass


async def test_an_embedder_is_no_cross_encoder(tmp_path: Path) -> None:
    save_tiny_embedder(tmp_path)
    (tmp_path / "modules.json").unlink()
    with pytest.raises(ConfigurationError, match=r"no tensor 'classifier\.weight'"):
        async with opened(tmp_path):
            pass


async def test_a_folder_is_opened_under_its_name(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path / "my-reranker")
    async with opened(tmp_path / "my-reranker") as reranker:
        assert isinstance(reranker, OpenVinoCrossEncoder)
        assert reranker.name == "my-reranker"
        assert len(await reranker.score("a", ["b", "c"])) == 2
