"""Words that make what is said depend on its details: denials, modal verbs, ranks, hedges."""

from sourcebook.answering.proof.tokens import Token, word_keys
from sourcebook.answering.proof.word_classes import HEDGES, MODALS, NEGATIONS

# What is said of the first, the only or all of them may hang on a detail.
RANKING = word_keys(
    {"only", "all", "every", "no", "most", "first", "initial", "last", "final", "more", "less"}
    | {"few", "any", "both", "none", "nobody", "nothing", "everyone", "sole", "single", "least"}
    | {"same", "best", "worst", "next", "other", "half", "many", "several", "third", "second"}
    | {"average", "total", "usual"}
)
_HEDGING = word_keys(HEDGES)
_SCOPED = NEGATIONS | MODALS | RANKING | {"!", "if", "unless"}


def is_scoped(token: Token) -> bool:
    """Whether a word makes what is said depend on its details."""
    ranked = token.key in _SCOPED or token.written.lower().endswith("est")
    return ranked or token.key in _HEDGING
