"""Tiny models with random weights, as the sentence-transformers library itself saves them."""

from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
)

from tests.tiny_models import HEADS, HIDDEN, LAYERS, LETTERS, VOCABULARY, WIDE

MAX_TOKENS = 32
# As in the published ones: the padding is not the first, and positions begin after it.
ROBERTA_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


def save_embedder(folder: Path, pooling: str) -> None:
    """An embedder whose words are single letters."""
    inside = folder.with_name("transformer")
    _save(BertModel(_config()), inside)
    transformer = Transformer(str(inside), max_seq_length=MAX_TOKENS)
    SentenceTransformer(modules=[transformer, Pooling(HIDDEN, pooling)]).save(str(folder))


def save_cross_encoder(folder: Path, labels: int = 1) -> None:
    """A cross-encoder whose words are single letters."""
    _save(BertForSequenceClassification(_config(labels)), folder)


def save_classifier(folder: Path, model_type: str, labels: int) -> None:
    """A classifier of pairs of any kind, whose words are single letters."""
    if model_type == "bert":
        save_cross_encoder(folder, labels)
        return
    kind = type(AutoConfig.for_model(model_type))
    config = kind.from_dict(
        _config(labels).to_dict()
        | {
            "model_type": model_type,
            "max_position_embeddings": MAX_TOKENS + 2,
            "type_vocab_size": 1,
            "pad_token_id": ROBERTA_SPECIALS.index("<pad>"),
        }
    )
    _save(AutoModelForSequenceClassification.from_config(config), folder, _roberta_tokenizer())


def _config(labels: int = 1) -> BertConfig:
    return BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=WIDE,
        max_position_embeddings=MAX_TOKENS,
        pad_token_id=VOCABULARY["[PAD]"],
        num_labels=labels,
    )


def _save(
    model: torch.nn.Module, folder: Path, tokenizer: PreTrainedTokenizerFast | None = None
) -> None:
    random = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(0.0, 0.5, generator=random)
    model.save_pretrained(str(folder))
    (tokenizer or _tokenizer()).save_pretrained(str(folder))


def _tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, VOCABULARY[name]) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=MAX_TOKENS,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def _roberta_tokenizer() -> PreTrainedTokenizerFast:
    vocabulary = {word: number for number, word in enumerate((*ROBERTA_SPECIALS, *LETTERS))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(name, vocabulary[name]) for name in ("<s>", "</s>")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=MAX_TOKENS,
        model_input_names=["input_ids", "attention_mask"],
        pad_token="<pad>",
        unk_token="<unk>",
        cls_token="<s>",
        sep_token="</s>",
    )
