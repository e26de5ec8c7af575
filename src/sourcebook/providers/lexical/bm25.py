"""Bm25Encoder: gives the terms of texts the weights of BM25, as sparse vectors.

The other half of BM25, how rare a term is, is up to the store, which knows all documents. The
average length is a constant: chunks are cut to a size, and the weight of a chunk must not depend
on the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from zlib import crc32

import Stemmer

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.search_modes import DEFAULT_LANGUAGE
from sourcebook.core.vectors import SparseVector, TermQuery
from sourcebook.providers.lexical.terms import TermReader

# Raise it when the same text would get other terms or weights.
ENCODER_VERSION = 1
# Chosen on the training questions of SciFact and on machine-written questions over ten
# documentations; see decision 0032.
K1 = 1.2
B = 0.75
AVERAGE_WORDS = 250
PAIR_WEIGHT = 0.5
FIELD_WEIGHT = 0.5
# Most pairs stand in one chunk only, and engines keep a list for each dimension: sharing dimensions
# saves a sixth of the memory, and does not change rankings.
PAIR_DIMENSIONS = 2**16


class Bm25Encoder:
    """Encodes documents and questions in one language."""

    def __init__(self, language: str = DEFAULT_LANGUAGE) -> None:
        self._reader = TermReader(check_language(language))
        self._revision = f"bm25-{ENCODER_VERSION}-{language}"

    @property
    def revision(self) -> str:
        """Changes whenever the same text would get other terms or weights."""
        return self._revision

    def document(self, text: str, fields: Sequence[str] = ()) -> SparseVector:
        """The weights of a text's terms; those of its `fields`, like the title, count half."""
        read = self._reader.read(text)
        counts: dict[str, float] = {**Counter(read.words)}
        for field in fields:
            # Once each: a title that repeats a word is about it no more than others.
            for word in dict.fromkeys(self._reader.read(field).words):
                counts[word] = counts.get(word, 0.0) + FIELD_WEIGHT
        weights = _Weights(len(read.words))
        weights.add({_dimension(term): count for term, count in counts.items()}, 1.0)
        weights.add(Counter(map(_dimension, read.exact)), 1.0)
        weights.add(Counter(map(_pair_dimension, read.pairs)), PAIR_WEIGHT)
        return weights.vector()

    def query(self, text: str) -> TermQuery:
        """The terms of a question, each once."""
        read = self._reader.read(text)
        words = dict.fromkeys(read.words)
        terms = {_dimension(term) for term in (*words, *read.exact)}
        terms.update(map(_pair_dimension, read.pairs))
        return TermQuery(_each_once(terms), len(words))

    def of_words(self, words: Sequence[str]) -> list[int | None]:
        """The term of each of some words in lower case; None of a stop word."""
        stems = map(self._reader.stem_of, words)
        return [None if stem is None else _dimension(stem) for stem in stems]


class _Weights:
    """The weights of one document, by dimension."""

    def __init__(self, length: int) -> None:
        self._damping = K1 * (1 - B + B * length / AVERAGE_WORDS)
        self._by_dimension: dict[int, float] = {}

    def add(self, counts: Mapping[int, float], factor: float) -> None:
        for dimension, count in counts.items():
            weight = factor * count * (K1 + 1) / (count + self._damping)
            self._by_dimension[dimension] = self._by_dimension.get(dimension, 0.0) + weight

    def vector(self) -> SparseVector:
        return SparseVector(tuple(self._by_dimension), tuple(self._by_dimension.values()))


def check_language(language: str) -> str:
    """Return the name of a language that words can be stemmed in; ConfigurationError if unknown."""
    known = sorted(Stemmer.algorithms())
    if language not in known:
        raise ConfigurationError(
            f"Words cannot be stemmed in {language[:40]!r}. Set SOURCEBOOK_LANGUAGE to one of:"
            f" {', '.join(known)}"
        )
    return language


def _each_once(dimensions: Set[int]) -> SparseVector:
    return SparseVector(tuple(dimensions), (1.0,) * len(dimensions))


def _dimension(term: str) -> int:
    """Return the dimension of a word or an identifier, outside those of pairs."""
    return max(crc32(term.encode(errors="surrogatepass")), PAIR_DIMENSIONS)


def _pair_dimension(pair: str) -> int:
    return crc32(pair.encode(errors="surrogatepass")) % PAIR_DIMENSIONS
