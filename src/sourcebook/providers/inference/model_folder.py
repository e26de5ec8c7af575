"""A BERT-family model folder, as sentence-transformers saves it: what its JSON files say."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.architecture import (
    USE_THE_EXTRA,
    Architecture,
    read_architecture,
)
from sourcebook.providers.inference.json_file import (
    JsonFile,
    read_json,
    read_object,
    read_optional_object,
)
from sourcebook.providers.inference.prompts import Prompts, named_prompts

WEIGHTS_FILE = "model.safetensors"
Pooling: TypeAlias = Literal["mean", "cls", "max"]
_POOLINGS: dict[str, Pooling] = {"mean": "mean", "cls": "cls", "max": "max"}
_OLD_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model on disk; `path` holds config.json, model.safetensors and tokenizer.json."""

    path: Path
    architecture: Architecture
    max_tokens: int
    lowercase: bool


@dataclass(frozen=True, slots=True)
class EmbeddingFolder:
    """A model that turns a text into a vector."""

    model: ModelFolder
    pooling: Pooling
    prompts: Prompts


def read_model_folder(path: Path) -> ModelFolder:
    """The part that embedders and cross-encoders have in common."""
    if not path.is_dir():
        raise ConfigurationError(f"There is no model folder at {path}. Check the model's path")
    architecture = read_architecture(path)
    saved = read_optional_object(path / "sentence_bert_config.json")
    return ModelFolder(
        path=path,
        architecture=architecture,
        max_tokens=min(_token_limit(path, saved), architecture.readable_tokens),
        lowercase=saved.fields.get("do_lower_case") is True,
    )


def read_scoring_folder(path: Path) -> ModelFolder:
    """Read the folder of a cross-encoder."""
    modules = _module_paths(path, known={"Transformer"})
    return read_model_folder(path / modules.get("Transformer", ""))


def read_embedding_folder(path: Path) -> EmbeddingFolder:
    """Read a folder with its modules; without modules.json it is a plain model, mean-pooled."""
    modules = _module_paths(path, known={"Transformer", "Pooling", "Normalize"})
    saved = read_optional_object(path / "config_sentence_transformers.json")
    return EmbeddingFolder(
        model=read_model_folder(path / modules.get("Transformer", "")),
        pooling=_read_pooling(path / modules["Pooling"]) if "Pooling" in modules else "mean",
        prompts=named_prompts(saved.table("prompts").fields),
    )


def _token_limit(path: Path, saved: JsonFile) -> int:
    from_tokenizer = read_optional_object(path / "tokenizer_config.json").number(
        "model_max_length", float("inf")
    )
    # Tokenizers without a limit say 10 ** 30; the model's positions decide then.
    return saved.integer("max_seq_length", int(min(from_tokenizer, 1e9)))


def _module_paths(path: Path, known: set[str]) -> dict[str, str]:
    file = path / "modules.json"
    if not file.exists():
        return {}
    content = read_json(file)
    modules = content if isinstance(content, list) else [content]
    paths = {}
    for module in modules:
        if not isinstance(module, dict):
            raise ConfigurationError(
                f"{file} must list modules. Restore the file from the model's origin"
            )
        fields = JsonFile(file, module)
        paths[fields.text("type").rpartition(".")[2]] = fields.text("path", "")
    unknown = sorted(set(paths) - known)
    if unknown:
        raise ConfigurationError(f"{file}: {unknown} are not supported here. {USE_THE_EXTRA}")
    return paths


def _read_pooling(path: Path) -> Pooling:
    config = read_object(path / "config.json")
    named = config.fields.get("pooling_mode")
    modes = [mode for key, mode in _OLD_POOLING_KEYS.items() if config.fields.get(key) is True]
    if named is not None:
        modes = [str(mode) for mode in named] if isinstance(named, list) else [str(named)]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise ConfigurationError(
            f"{config.path}: pooling {modes} is not supported here, only one of"
            f" {list(_POOLINGS)}. {USE_THE_EXTRA}"
        )
    if config.fields.get("include_prompt") is False:
        raise ConfigurationError(
            f"{config.path}: pooling without the prompt is not supported here. {USE_THE_EXTRA}"
        )
    return _POOLINGS[modes[0]]
