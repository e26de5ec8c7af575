"""Takes a language model out of its GGUF file: `python -m training.unpack GGUF OUT`.

Writes its weights as they are, and its tokenizer. Of the layer that makes words only what says
"Yes" and "No" is kept: the model's first layer knows the same words.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from gguf import GGUFReader
from safetensors.numpy import save_file
from tokenizers import Tokenizer

# Kinds of tokens that are no text, in such a file.
_SPECIAL_KINDS = {3, 4}
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def unpack(file: Path, out: Path) -> None:
    """Write the weights and the tokenizer."""
    reader = GGUFReader(file)
    told = {
        name: reader.fields[f"tokenizer.ggml.{name}"].contents()
        for name in ("tokens", "merges", "token_type")
    }
    tokens = [one for one in told["tokens"] if not one.startswith("[PAD")]
    special = [
        one for one, kind in zip(tokens, told["token_type"], strict=False) if kind in _SPECIAL_KINDS
    ]
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(
        tokenizer_of(tokens, told["merges"], special), encoding="utf-8"
    )
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    said = [tokenizer.token_to_id(word) for word in ("Yes", "No")]
    tensors = {}
    for one in reader.tensors:
        made = one.name == "output.weight"
        data = np.array(one.data[said] if made else one.data)
        tensors["yes_no.weight" if made else one.name] = data
    save_file(tensors, out / "model.safetensors")


def tokenizer_of(tokens: Sequence[str], merges: Sequence[str], special: Sequence[str]) -> str:
    """The tokenizer of Qwen2 as the `tokenizers` library reads it."""
    numbers = {token: number for number, token in enumerate(tokens)}
    of_bytes = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": _SPLIT}, "behavior": "Isolated", "invert": False}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [
                {"id": numbers[one], "content": one, "special": True, **added} for one in special
            ],
            "normalizer": {"type": "NFC"},
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [split, of_bytes | {"trim_offsets": False}],
            },
            # A space before a word is no part of its sentence.
            "post_processor": of_bytes | {"trim_offsets": True},
            "decoder": of_bytes | {"trim_offsets": True},
            "model": {
                "type": "BPE",
                "vocab": numbers,
                "merges": [one.split(" ") for one in merges],
            },
        },
        ensure_ascii=False,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    unpack(arguments.file, arguments.out)
