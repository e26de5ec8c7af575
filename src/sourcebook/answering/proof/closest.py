"""Finds the statement that an unproven claim is about, also where the claim contradicts it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from sourcebook.answering.proof.table_rows import is_row
from sourcebook.answering.proof.tokens import read_tokens
from sourcebook.answering.proof.word_classes import FIXED_WORDS
from sourcebook.answering.statements import Statement
from sourcebook.search.words import read_words

# The share of a claim's weight that a statement must have in common with it. A claim that one
# word makes false keeps two thirds of a short sentence; other subjects share a third at most.
MIN_SHARED = 0.4
# And so much more than any other statement, or it is not clear which one is meant.
MIN_LEAD = 0.05
# A figure of another value still names the same kind of thing: `5 V` and `7 V`.
SAME_DIMENSION_CREDIT = 0.5
# Words like `of` and `not` decide between statements that share the rest.
FIXED_WORD_WEIGHT = 0.1
# How much a cosine of 1 counts beside shared words.
COSINE_WEIGHT = 0.5
# Of two statements that cover a claim alike, the one with less besides says it more plainly.
BREVITY_WEIGHT = 0.15


def closest(
    claim: str, statements: Sequence[Statement], similarities: Sequence[float] | None = None
) -> Statement | None:
    """Return the statement that a claim is clearly about, or None.

    `similarities` are cosines of the claim and each statement, where the caller has them.
    """
    features = [_features(statement.text) for statement in statements]
    weights = _weights(_features(claim), features)
    if not weights:
        return None
    shared = [_shared(weights, one) for one in features]
    scores = [
        share + BREVITY_WEIGHT * _brevity(weights, one)
        for share, one in zip(shared, features, strict=True)
    ]
    if similarities is not None:
        scores = [
            score + COSINE_WEIGHT * cosine
            for score, cosine in zip(scores, similarities, strict=True)
        ]
    return _clear(statements, scores, shared)


def _clear(
    statements: Sequence[Statement], scores: Sequence[float], shared: Sequence[float]
) -> Statement | None:
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
    if not ranked or shared[ranked[0]] < MIN_SHARED:
        return None
    best = ranked[0]
    for place in ranked[1:]:
        # The same sentence in two passages says the same in both.
        if statements[place].text != statements[best].text:
            return statements[best] if scores[best] - scores[place] >= MIN_LEAD else None
    return statements[best]


def _features(text: str) -> frozenset[str]:
    """Keys of proof and stems of search, so that `installed` finds `installation` too."""
    keys = {token.key for token in read_tokens(text) if not token.is_mark}
    if is_row(text):
        keys.discard("|")
    stems = {f"~{word.stem}" for word in read_words(text) if word.kind == "content"}
    return frozenset(keys | {stem for stem in stems if not stem[1].isdecimal()})


def _weights(claim: frozenset[str], others: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """What each feature of a claim counts: more if few statements have it."""
    holders = Counter(feature for one in others for feature in one & claim)
    return {
        feature: (FIXED_WORD_WEIGHT if feature in FIXED_WORDS else 1.0)
        * math.log(1 + (1 + len(others)) / (1 + holders[feature]))
        for feature in claim
    }


def _shared(weights: Mapping[str, float], features: frozenset[str]) -> float:
    dimensions = {_dimension(feature) for feature in features} - {""}
    found = 0.0
    for feature, weight in weights.items():
        if feature in features:
            found += weight
        elif _dimension(feature) in dimensions:
            found += SAME_DIMENSION_CREDIT * weight
    return found / sum(weights.values())


def _brevity(weights: Mapping[str, float], features: frozenset[str]) -> float:
    return len(features & weights.keys()) / len(features) if features else 0.0


def _dimension(feature: str) -> str:
    return feature.lstrip("#<>=~0123456789/.-") or "count" if feature.startswith("#") else ""
