"""Tells plain facts from what depends on its details: by denials, modal verbs, ranks, hedges."""

from sourcebook.answering.proof.tokens import Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import CONDITIONS, HEDGES, MODALS, NEGATIONS

# What is said of the first, the only or all of them may hang on a detail.
RANKING = word_keys(
    {"only", "all", "every", "no", "most", "first", "initial", "last", "final", "more", "less"}
    | {"few", "any", "both", "none", "nobody", "nothing", "everyone", "sole", "single", "least"}
    | {"same", "best", "worst", "next", "other", "half", "many", "several", "third", "second"}
    | {"average", "total", "usual"}
)
_HEDGING = word_keys(HEDGES)
_SCOPED = NEGATIONS | MODALS | RANKING | {"!", "if", "unless"}
PLACING = frozenset({"in", "on", "at", "near", "from", "between", "over", "by", "under", "during"})
# Of what is said in passing, only these change what it is said of.
CHANGING = frozenset({"if", "unless", "except", "only", "provided", "otherwise", "when", "but"})


def is_scoped(token: Token) -> bool:
    """Whether a word makes what is said depend on its details."""
    ranked = token.key in _SCOPED or token.written.lower().endswith("est")
    return ranked or token.key in _HEDGING


def governs(tokens: Tokens) -> bool:
    """Whether a word among these may decide what the rest of the sentence says."""
    return any(is_scoped(token) or token.key in CONDITIONS for token in tokens)


def is_certain(noun: Tokens) -> bool:
    """`on the quay`, `in 1911`, `in Lisk`; `in winter` may be a condition."""
    return bool(noun) and (noun[0].opens or noun[0].kind == "figure" or is_name_word(noun[0]))


def is_past(tokens: Tokens, verb: int) -> bool:
    """Whether the verb at a place tells what happened."""
    return tokens[verb].form == "ed" and tokens[verb].written.lower() not in {"is", "are", "been"}


def is_year(token: Token) -> bool:
    """Whether a figure is a year, or a range of years."""
    return token.kind == "figure" and token.key[1:5].isdecimal() and len(token.key) >= 5


def is_name_word(token: Token) -> bool:
    """Whether a word is written large."""
    return token.kind == "word" and token.written[:1].isupper()
