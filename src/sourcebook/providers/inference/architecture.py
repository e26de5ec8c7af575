"""The architecture of a BERT-family model: the numbers of config.json that its graph needs."""

from dataclasses import dataclass
from pathlib import Path

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.json_file import JsonFile, read_object

SUPPORTED_TYPES = ("bert", "roberta", "xlm-roberta")
SUPPORTED_ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
USE_THE_EXTRA = (
    "Set `provider: sentence-transformers` for it, which can load it"
    " (pip install 'sourcebook[sentence-transformers]')"
)


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the graph is built from, besides the weights."""

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
        """Tell whether it is one of the RoBERTa kind, which has no token types."""
        return self.model_type != "bert"

    @property
    def first_position(self) -> int:
        """The row of the first token's position: RoBERTa leaves out those up to the padding's."""
        return self.pad_token_id + 1 if self.is_roberta else 0

    @property
    def readable_tokens(self) -> int:
        """How many tokens have a position of their own."""
        return self.position_rows - self.first_position


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
