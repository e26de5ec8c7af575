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
_SWEEPING = NEGATIONS | word_keys(
    {"all", "every", "each", "any", "always", "only", "both", "nobody", "everybody", "everyone"}
    | {"anyone", "daily", "everything", "anything", "unlimited", "entire", "whole", "constantly"}
)
# `Napoleon was short, a myth.`
DOUBTED = word_keys(
    {"myth", "belief", "rumour", "rumor", "legend", "error", "mistake", "misconception", "fallacy"}
    | {"lie", "superstition", "fiction", "hoax", "guess", "assumption", "exaggeration", "tale"}
    | {"theory", "hypothesis", "opinion", "view", "idea", "story", "claim", "charge", "rule"}
)
# `every room, the kitchen apart`
EXCEPTED = word_keys({"apart", "aside", "excepted", "excluded", "permitting", "willing"})
TIME_NOUNS = word_keys(
    {"second", "minute", "hour", "day", "night", "week", "month", "year", "time", "morning"}
    | {"evening", "spring", "summer", "autumn", "winter", "season", "quarter", "weekend", "term"}
    | {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january"}
    | {"february", "march", "april", "june", "july", "august", "september", "october", "november"}
    | {"december", "noon", "midnight", "dusk", "dawn", "end"}
    | {"default", "now", "then", "easter", "christmas"}
)
# `the criticism of the minister` is not the minister's.
DONE_TO = word_keys(
    {"criticism", "invasion", "murder", "arrest", "loss", "fear", "support", "training", "attack"}
    | {"defeat", "accusation", "punishment", "killing", "hatred", "love", "trust", "knowledge"}
    | {"conquest", "capture", "treatment", "examination", "assessment", "review", "choice"}
)
# `opens with a key and a code`, `a blend of red and blue`: neither alone.
JOINING = frozenset({"with", "by", "of", "from", "using", "between"})
# A cup of tea is no tea cup.
CONTAINERS = word_keys(
    {"cup", "glass", "bottle", "box", "bag", "sack"}
    | {"bucket", "barrel", "can", "tin", "jar", "pack"}
    | {"packet", "basket", "bowl", "plate", "pot", "tube", "tank", "crate", "case", "cart", "tray"}
)
_SPOTS = word_keys(
    {"door", "gate", "window", "wall", "bridge", "road"}
    | {"roadside", "river", "lake", "sea", "coast"}
)
# `Photos are allowed, and a permit is required.`
PERMITTING = word_keys({"may", "can", "beallowed", "allow", "welcome", "free", "valid"})
DEMANDING = word_keys({"must", "require", "need", "limit", "restrict", "exclude", "mandatory"})
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


def is_past(tokens: Tokens, verb: int) -> bool:
    """Whether the verb at a place tells what happened."""
    return tokens[verb].form == "ed" and tokens[verb].written.lower() not in {"is", "are", "been"}


def is_year(token: Token) -> bool:
    """Whether a figure is a year, or a range of years."""
    return token.kind == "figure" and token.key[1:5].isdecimal() and len(token.key) >= 5


def is_date(token: Token) -> bool:
    """Whether it is a year or a day."""
    year = token.key[1:]
    return token.kind == "figure" and ("-" in year or (year.isdecimal() and len(year) == 4))


def is_sweeping(tokens: Tokens) -> bool:
    """Whether something is said of all or none, so that a later clause may take some of it back."""
    return any(token.key in _SWEEPING for token in tokens)


def names_time_or_spot(noun: Tokens) -> bool:
    """Whether what follows `by` does nothing: `by the hour`, `by the door`."""
    return any(token.key in _SPOTS for token in noun[-1:]) or any(
        token.key in TIME_NOUNS for token in noun
    )


def counts_otherwise(evidence: Tokens, claim: Tokens) -> bool:
    """Whether a noun phrase speaks of others or more: `eggs` for `an egg`, `dogs` for `the dog`."""
    first, last = claim[0], claim[-1]
    if not evidence[0].opens or evidence[0].kind != "word":
        return False
    if last.form == "s":
        return not first.opens or evidence[-1].form == "base"
    # `a mushroom` for `the mushroom`.
    return first.opens and not first.definite and evidence[0].definite


def makes_unique(evidence: Tokens, claim: Tokens) -> bool:
    """`Quill is the database` for `Quill is a database`."""
    return evidence[0].opens and not evidence[0].definite and claim[0].definite


def is_limited(permission: Tokens, further: Tokens) -> bool:
    """Whether something is allowed, and what is said further may demand something for it."""
    allowed = any(token.key in PERMITTING for token in permission)
    return allowed and any(token.key in DEMANDING for token in further)


def is_name_word(token: Token) -> bool:
    """Whether a word is written large."""
    return token.kind == "word" and token.written[:1].isupper()


def turns(evidence: Token, claim: Token) -> bool:
    """Whether a word has become its other participle: `boiled water` is no `boiling water`."""
    return {evidence.form, claim.form} == {"ed", "ing"}
