"""What a call had embedded before it failed, kept for the next try: it is paid for."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from sourcebook.providers.inference.weights import FloatArray

MOST_KEPT = 4_096


class Salvage:
    """Vectors by text. What is taken out is gone, unless it is put back."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[bytes, FloatArray] = OrderedDict()

    def take(self, texts: Sequence[str]) -> dict[int, FloatArray]:
        """The vectors that are here, by the position of their text."""
        if not self._kept:
            return {}
        found = ((position, _key(text)) for position, text in enumerate(texts))
        return {position: self._kept.pop(key) for position, key in found if key in self._kept}

    def put(self, texts: Sequence[str], vectors: Mapping[int, FloatArray]) -> None:
        """Keep vectors; the oldest go when there are too many."""
        for position, vector in vectors.items():
            self._kept[_key(texts[position])] = vector
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
