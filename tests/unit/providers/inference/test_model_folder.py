import json
from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.model_folder import read_embedding_folder, read_scoring_folder
from sourcebook.providers.inference.prompts import Prompts
from tests.tiny_models import HIDDEN, MAX_TOKENS, save_tiny_cross_encoder, save_tiny_embedder


def change(path: Path, **fields: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_tiny_embedder(tmp_path, prompts={"query": "q: ", "passage": "p: "})
    return tmp_path


def test_a_whole_folder_is_read(folder: Path) -> None:
    read = read_embedding_folder(folder)
    assert read.model.max_tokens == MAX_TOKENS
    assert read.model.architecture.hidden_size == HIDDEN
    assert read.pooling == "mean"
    assert read.prompts == Prompts(query="q: ", document="p: ")


def test_without_modules_a_model_is_mean_pooled(folder: Path) -> None:
    (folder / "modules.json").unlink()
    change(folder / "1_Pooling" / "config.json", pooling_mode="cls")
    assert read_embedding_folder(folder).pooling == "mean"


def test_the_newer_name_of_the_pooling_is_known(folder: Path) -> None:
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    assert read_embedding_folder(folder).pooling == "cls"


@pytest.mark.parametrize(("model_type", "readable"), [("bert", 20), ("xlm-roberta", 20)])
def test_without_a_limit_the_positions_decide(
    tmp_path: Path, model_type: str, readable: int
) -> None:
    save_tiny_embedder(tmp_path, model_type)
    (tmp_path / "sentence_bert_config.json").unlink()
    assert read_embedding_folder(tmp_path).model.max_tokens == readable


def test_a_limit_beyond_the_positions_is_lowered(folder: Path) -> None:
    change(folder / "sentence_bert_config.json", max_seq_length=5000)
    assert read_embedding_folder(folder).model.max_tokens == 20


def test_another_model_type_is_refused_with_a_way_out(folder: Path) -> None:
    change(folder / "config.json", model_type="mpnet")
    with pytest.raises(ConfigurationError) as error:
        read_embedding_folder(folder)
    assert "'mpnet' is not supported" in error.value.message
    assert "['bert', 'roberta', 'xlm-roberta']" in error.value.message
    assert "pip install 'sourcebook[sentence-transformers]'" in error.value.message


@pytest.mark.parametrize(
    ("file", "fields", "message"),
    [
        ("config.json", {"hidden_act": "silu"}, "activation 'silu'"),
        ("config.json", {"position_embedding_type": "relative_key"}, "'relative_key' position"),
        ("config.json", {"hidden_size": "wide"}, "whole number under 'hidden_size'"),
        ("config.json", {"num_attention_heads": 3}, "cannot be divided among 3"),
        ("config.json", {"num_hidden_layers": None}, "whole number under 'num_hidden_layers'"),
        ("1_Pooling/config.json", {"pooling_mode": "lasttoken"}, "lasttoken"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "mean.*max"),
        ("1_Pooling/config.json", {"include_prompt": False}, "without the prompt"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(
    folder: Path, file: str, fields: dict[str, object], message: str
) -> None:
    change(folder / file, **fields)
    with pytest.raises(ConfigurationError, match=message):
        read_embedding_folder(folder)


def test_unknown_modules_are_refused(folder: Path) -> None:
    modules = [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ConfigurationError, match="Dense"):
        read_embedding_folder(folder)


@pytest.mark.parametrize("file", ["config.json", "1_Pooling/config.json"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(ConfigurationError, match=f"{file} is missing"):
        read_embedding_folder(folder)


@pytest.mark.parametrize("file", ["config.json", "modules.json", "sentence_bert_config.json"])
@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"3"])
def test_a_garbled_file_is_named(folder: Path, file: str, content: bytes) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(ConfigurationError, match=file):
        read_embedding_folder(folder)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no model folder at"):
        read_embedding_folder(tmp_path / "nothing")


def test_a_cross_encoder_takes_its_limit_from_the_tokenizer(tmp_path: Path) -> None:
    save_tiny_cross_encoder(tmp_path)
    assert read_scoring_folder(tmp_path).max_tokens == MAX_TOKENS
