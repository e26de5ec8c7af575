"""Reads a BERT-family model folder, as sentence-transformers saves it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.json_file import (
    JsonFile,
    read_json,
    read_object,
    read_optional_object,
)
from sourcebook.providers.inference.prompts import Prompts, named_prompts

WEIGHTS_FILE = "model.safetensors"
SUPPORTED_TYPES = ("bert", "roberta", "xlm-roberta")
SUPPORTED_ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
USE_THE_EXTRA = (
    "Set `provider: sentence-transformers` for it, which can load it"
    " (pip install 'sourcebook[sentence-transformers]')"
)
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
class Architecture:
    """The numbers of config.json that the graph needs."""

    model_type: str
    layers: int
    heads: int
    hidden_size: int
    activation: str
    layer_norm_eps: float
    pad_token_id: int
    position_rows: int

    @property
    def is_roberta(self) -> bool:
        """True for models of the RoBERTa kind, which have no token types."""
        return self.model_type != "bert"

    @property
    def first_position(self) -> int:
        """Row of the first token's position; RoBERTa skips the rows up to the padding's."""
        return self.pad_token_id + 1 if self.is_roberta else 0

    @property
    def readable_tokens(self) -> int:
        """How many tokens the model has positions for."""
        return self.position_rows - self.first_position


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


def read_embedding_folder(path: Path) -> EmbeddingFolder:
    """Read a folder with its modules; without modules.json it is a plain model, mean-pooled."""
    modules = _module_paths(path, known={"Transformer", "Pooling", "Normalize"})
    saved = read_optional_object(path / "config_sentence_transformers.json")
    return EmbeddingFolder(
        model=read_model_folder(path / modules.get("Transformer", "")),
        pooling=_read_pooling(path / modules["Pooling"]) if "Pooling" in modules else "mean",
        prompts=named_prompts(saved.table("prompts").fields),
    )


def read_scoring_folder(path: Path) -> ModelFolder:
    """Read the folder of a cross-encoder."""
    modules = _module_paths(path, known={"Transformer"})
    return read_model_folder(path / modules.get("Transformer", ""))


def read_model_folder(path: Path) -> ModelFolder:
    """Read what embedders and cross-encoders have in common."""
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


def read_architecture(folder: Path) -> Architecture:
    """Read and check config.json."""
    config = read_object(folder / "config.json")
    _check_supported(config)
    model_type = config.text("model_type")
    architecture = Architecture(
        model_type=model_type,
        layers=config.integer("num_hidden_layers"),
        heads=config.integer("num_attention_heads"),
        hidden_size=config.integer("hidden_size"),
        activation=config.text("hidden_act", "gelu"),
        layer_norm_eps=config.number("layer_norm_eps", 1e-12),
        pad_token_id=config.integer("pad_token_id", 0 if model_type == "bert" else 1),
        position_rows=config.integer("max_position_embeddings"),
    )
    if architecture.heads < 1 or architecture.hidden_size % architecture.heads:
        raise ConfigurationError(
            f"{config.path}: hidden_size {architecture.hidden_size} cannot be divided among"
            f" {architecture.heads} attention heads. Restore the file from the model's origin"
        )
    return architecture


def _check_supported(config: JsonFile) -> None:
    model_type = config.text("model_type", "unknown")
    if model_type not in SUPPORTED_TYPES:
        raise ConfigurationError(
            f"{config.path}: model type {model_type!r} is not supported here, only"
            f" {list(SUPPORTED_TYPES)}. {USE_THE_EXTRA}"
        )
    activation = config.text("hidden_act", "gelu")
    if activation not in SUPPORTED_ACTIVATIONS:
        raise ConfigurationError(
            f"{config.path}: activation {activation!r} is not supported here, only"
            f" {list(SUPPORTED_ACTIVATIONS)}. {USE_THE_EXTRA}"
        )
    positions = config.text("position_embedding_type", "absolute")
    if positions != "absolute":
        raise ConfigurationError(
            f"{config.path}: {positions!r} position embeddings are not supported here, only"
            f" 'absolute'. {USE_THE_EXTRA}"
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
