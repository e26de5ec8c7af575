"""A tokenizer in the form of the transformers library, whose tokens are words."""

import re
from collections.abc import Mapping, Sequence


class WordTokenizer:
    """Two special tokens around a text, three around a pair."""

    def __init__(self) -> None:
        self.is_fast = True

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        return 3 if pair else 2

    def __call__(self, text: str, **options: bool) -> Mapping[str, Sequence[tuple[int, int]]]:
        assert options["return_offsets_mapping"]
        assert not options["add_special_tokens"]
        return {"offset_mapping": [match.span() for match in re.finditer(r"\S+", text)]}
