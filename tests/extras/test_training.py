"""The reader's training on a tiny model: the same numbers give the same weights."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from training.config import Config
from training.export import exported_name
from training.questions import CASES_FILE, PASSAGES_FILE, save_lines, sha256_of
from training.train import TRAINED_FILE, train

WIDTH, LAYERS = 16, 2
WORDS = ("water", "ice", "steam", "salt", "boils", "melts", "is", "hot", "cold", "when", "?", ".")
SMALL = Config(
    steps=4, warm_up=1, rank=2, head_width=8, questions=2, wrong=1, per_step={"written": 2}
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    names = {name: number for number, name in enumerate(("[PAD]", "[CLS]", "[SEP]", "[UNK]"))}
    vocabulary = names | {word: number for number, word in enumerate(WORDS, len(names))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(_tensors(len(vocabulary)), folder / "model.safetensors")
    return folder


def _tensors(words: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(1)
    tensors = {
        f"embeddings.{name}_embeddings.weight": torch.randn(count, WIDTH)
        for name, count in (("word", words), ("position", 512), ("token_type", 2))
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for part in ("attention.self.query", "attention.self.key", "attention.self.value"):
            tensors |= _linear(f"{layer}.{part}", WIDTH, WIDTH)
        tensors |= _linear(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        tensors |= _linear(f"{layer}.intermediate.dense", 2 * WIDTH, WIDTH)
        tensors |= _linear(f"{layer}.output.dense", WIDTH, 2 * WIDTH)
    for name in norms:
        tensors |= {f"{name}.weight": torch.ones(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
    return tensors


def _linear(name: str, out: int, into: int) -> dict[str, torch.Tensor]:
    return {f"{name}.weight": torch.randn(out, into), f"{name}.bias": torch.zeros(out)}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    texts = ("water boils . steam is hot .", "ice melts . ice is cold .", "salt is cold .")
    place = {"corpus": "physics", "document": "a", "order": 0, "heading": "water"}
    passages = [
        place | {"text": text, "spans": [[0, text.index(".") + 1]], "aside": number == 2}
        for number, text in enumerate(texts)
    ]
    cases = [
        {
            "set": "written.development" if number == 2 else "written",
            "passages": [number],
            "answered": [{"question": "when is water hot ?", "right": [[0, 0]]}],
            "missing": ["is salt hot ?"],
        }
        for number in range(len(texts))
    ]
    save_lines(folder / PASSAGES_FILE, passages)
    save_lines(folder / CASES_FILE, cases)
    return folder


def test_the_same_numbers_give_the_same_weights(
    prepared: Path, model: Path, tmp_path: Path
) -> None:
    for name in ("one", "other"):
        train(prepared, model, tmp_path / name, SMALL)

    one, other = (sha256_of(tmp_path / name / TRAINED_FILE) for name in ("one", "other"))
    assert one == other


def test_what_is_trained_changes_weights_of_the_model_and_adds_two_heads(
    prepared: Path, model: Path, tmp_path: Path
) -> None:
    train(prepared, model, tmp_path, SMALL)

    trained = {exported_name(name) for name in load_file(tmp_path / TRAINED_FILE)}
    heads = {f"{head}.{part}" for head in ("relevance", "answer") for part in ("weight", "bias")}
    changed = {name.removesuffix(".up").removesuffix(".down") for name in trained - heads}
    assert heads <= trained
    assert changed <= set(load_file(model / "model.safetensors"))
