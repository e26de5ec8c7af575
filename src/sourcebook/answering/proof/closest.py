"""Finds the statement that an unproven claim is about, also where the claim contradicts it."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import median

from sourcebook.answering.proof.table_rows import header_of, is_header
from sourcebook.answering.proof.tokens import read_tokens
from sourcebook.answering.statements import Statement
from sourcebook.search.words import content_words, read_words

# The share of a claim's weight that a statement must have in common with it. A claim that one
# word makes false keeps two thirds of a short sentence, and a free paraphrase a third. Of 576
# claims compared with the text of another subject, one reaches it, and four reach 0.25.
MIN_SHARED = 0.3
# A single word in common may be chance.
MIN_SHARED_BY_ONE_WORD = 0.4
# So many are not, however long the claim is.
MANY_WORDS = 3
MIN_SHARED_BY_MANY_WORDS = 0.2
# And so much more than one that shares the very same words, or it is not clear which is meant.
MIN_LEAD = 0.03
# A figure is rarely the same by chance.
FIGURE_WEIGHT = 1.5
# So many statements are compared in full: those that share the most rare words.
MAX_CANDIDATES = 12
# A figure of another value still names the same kind of thing: `5 V` and `7 V`.
SAME_DIMENSION_CREDIT = 0.5
# Words like `of` and `not` decide between statements that share the rest.
FIXED_WORD_WEIGHT = 0.1
# How much a cosine of 1 counts beside shared words.
COSINE_WEIGHT = 0.5
# Of two statements that cover a claim alike, the one with less besides says it more plainly.
BREVITY_WEIGHT = 0.15
# How far the most similar statement is on the way from the usual cosine to 1. Models differ in
# what cosine is usual. Of 432 claims in other words all but three reach it among their own text
# and others, of as many compared with other texts alone one does.
MIN_SIMILARITY = 0.5
# And its cosine by itself: where all others have nothing in common with a claim, little stands out,
# and what is made up must not bring a sentence that a few small words make similar.
MIN_COSINE = 0.7
MIN_DIFFERENCE = 1e-6
# Of fewer nobody can say what is usual.
MIN_COMPARED = 5


def closest(
    claim: str, statements: Sequence[Statement], similarities: Sequence[float] | None = None
) -> Statement | None:
    """Return the statement that a claim is clearly about, or None.

    `similarities` are cosines of the claim and each statement, where the caller has them.
    """
    stems = frozenset(content_words(claim))
    features, weights = _compared(claim, stems, statements, similarities)
    if not weights:
        return None
    places = list(features)
    shared = {place: _shared(weights, one) for place, one in features.items()}
    scores = {
        place: shared[place] + BREVITY_WEIGHT * _brevity(weights, one)
        for place, one in features.items()
    }
    if similarities is not None:
        scores = {
            place: score + COSINE_WEIGHT * similarities[place] for place, score in scores.items()
        }
    least = {place: _least(statements[place].content & stems) for place in places}
    best = max(scores, key=lambda place: scores[place])
    if shared[best] < least[best]:
        return None
    common = {place: one & weights.keys() for place, one in features.items()}
    # Two that share other words of a claim are what it merges: either will do.
    alike = [
        place
        for place in places
        if common[place] == common[best] and statements[place].text != statements[best].text
    ]
    clear = all(scores[best] - scores[place] >= MIN_LEAD for place in alike)
    return statements[best] if clear else None


def closeness(claim: str, statements: Sequence[Statement]) -> float:
    """Return the greatest share of a claim's weight that a statement has in common with it."""
    features, weights = _compared(claim, frozenset(content_words(claim)), statements, None)
    return max(_shared(weights, one) for one in features.values()) if weights else 0.0


def most_similar(cosines: Mapping[int, float]) -> int | None:
    """Return the place of the cosine that stands out from all others, or None."""
    if len(cosines) < MIN_COMPARED:
        return None
    left = 1 - median(cosines.values())
    best = max(cosines, key=lambda place: cosines[place])
    if cosines[best] < MIN_COSINE:
        return None
    # A model that takes all texts for the same knows nothing.
    stands_out = left > MIN_DIFFERENCE and 1 - cosines[best] <= (1 - MIN_SIMILARITY) * left
    return best if stands_out else None


def _compared(
    claim: str,
    stems: frozenset[str],
    statements: Sequence[Statement],
    similarities: Sequence[float] | None,
) -> tuple[dict[int, frozenset[str]], Mapping[str, float]]:
    """The features of the statements that come into question, and what a claim's own count."""
    places = _candidates(stems, statements, similarities)
    features = {place: _statement_features(statements, place) for place in places}
    return features, _weights(_features(claim, stems), features.values())


def _least(common: frozenset[str]) -> float:
    """What share is asked of a statement with these words in common."""
    if len(common) >= MANY_WORDS:
        return MIN_SHARED_BY_MANY_WORDS
    return MIN_SHARED if len(common) > 1 else MIN_SHARED_BY_ONE_WORD


def _candidates(
    stems: frozenset[str], statements: Sequence[Statement], similarities: Sequence[float] | None
) -> list[int]:
    common = [
        frozenset() if is_header(statements, place) else one.content & stems
        for place, one in enumerate(statements)
    ]
    holders = Counter(stem for some in common for stem in some)
    ranks = [sum(1 / holders[stem] for stem in some) for some in common]
    if similarities is not None:
        ranks = [rank + cosine for rank, cosine in zip(ranks, similarities, strict=True)]
    best = sorted(range(len(statements)), key=lambda place: -ranks[place])
    return [place for place in best[:MAX_CANDIDATES] if ranks[place] > 0]


def _statement_features(statements: Sequence[Statement], place: int) -> frozenset[str]:
    """What a statement is about; a row of a table has the names of its columns too."""
    own = _features(statements[place].text, statements[place].content)
    header = header_of(statements, place)
    if header is None:
        return own
    return own | _features(header.text, header.content)


def _features(text: str, stems: frozenset[str]) -> frozenset[str]:
    """Keys of proof and stems of search, so that `installed` finds `installation` too."""
    keys = {token.key for token in read_tokens(text) if not token.is_mark}
    return frozenset(keys | {f"~{stem}" for stem in stems if not stem[0].isdecimal()})


def _weights(claim: frozenset[str], others: Iterable[frozenset[str]]) -> Mapping[str, float]:
    """What each feature of a claim counts: more if few statements have it."""
    compared = list(others)
    holders = Counter(feature for one in compared for feature in one & claim)
    if not holders:
        return {}
    return {
        feature: _kind_weight(feature) * math.log(1 + (1 + len(compared)) / (1 + holders[feature]))
        for feature in claim
    }


def _kind_weight(feature: str) -> float:
    if feature.startswith(("#", "@")):
        return FIGURE_WEIGHT
    return FIXED_WORD_WEIGHT if _is_small(feature) else 1.0


@lru_cache(maxsize=20_000)
def _is_small(feature: str) -> bool:
    """Whether it is a word like `of` and `not`."""
    return any(word.kind != "content" for word in read_words(feature))


def _shared(weights: Mapping[str, float], features: frozenset[str]) -> float:
    dimensions = {_dimension(feature) for feature in features if feature.startswith("#")}
    found = 0.0
    for feature, weight in weights.items():
        if feature in features:
            found += weight
        elif feature.startswith("#") and _dimension(feature) in dimensions:
            found += SAME_DIMENSION_CREDIT * weight
    return found / sum(weights.values())


def _brevity(weights: Mapping[str, float], features: frozenset[str]) -> float:
    return len(features & weights.keys()) / len(features) if features else 0.0


def _dimension(figure: str) -> str:
    return figure.lstrip("#<>=~0123456789/.-")
