"""Takes `the chain ferry` for `the ferry` where a passage knows only one."""

from collections.abc import Iterable
from itertools import pairwise

from sourcebook.answering.proof.clauses import is_plain
from sourcebook.answering.proof.names import FAMILY
from sourcebook.answering.proof.tokens import Token, Tokens
from sourcebook.answering.proof.word_classes import FIXED_WORDS

# So many words of a claim may be parts of names that the statement leaves out.
MAX_MISSING = 2


def in_short(claim: Tokens, statement: Tokens, passage: Iterable[Tokens]) -> Tokens | None:
    """The claim with the names that the statement uses, or None if it lacks anything else."""
    known = {token.key for token in statement}
    missing = {one.key for one in claim if _may_name(one) and one.key not in known}
    if not 0 < len(missing) <= MAX_MISSING:
        return None
    sentences = list(passage)
    kept: list[Token] = []
    opened: Token | None = None
    for place, token in enumerate(claim):
        after = claim[place + 1] if place + 1 < len(claim) else None
        if token.key not in missing:
            first = opened is not None and opened.opens
            kept.append(token._replace(opens=True, definite=True) if first else token)
            opened = None
        elif after is not None and _is_only_kind(token, after, statement, sentences):
            opened = token
        elif not kept or not _is_only_surname(kept[-1], token, statement, sentences):
            return None
    return tuple(kept)


def _may_name(token: Token) -> bool:
    return is_plain(token) and token.key not in FIXED_WORDS


def _is_only_kind(kind: Token, noun: Token, statement: Tokens, passage: Iterable[Tokens]) -> bool:
    """Whether `the ferry` here can only be the chain ferry."""
    if _is_large(kind) and _is_large(noun):
        # `the Orrin cell` is not Ada Orrin's.
        return False
    if noun.opens or not any(one.key == noun.key and one.definite for one in statement):
        return False
    kinds = {
        before.key
        for tokens in passage
        for before, one in pairwise(tokens)
        if one.key == noun.key and not one.opens and is_plain(before)
    }
    return kinds == {kind.key}


def _is_only_surname(
    first: Token, last: Token, statement: Tokens, passage: Iterable[Tokens]
) -> bool:
    """Whether `Sander` here can only be Sander Kroy."""
    if not _is_large(first) or not _is_large(last):
        return False
    if not any(one.key == first.key and _is_large(one) for one in statement):
        return False
    surnames = {
        after.key
        for tokens in passage
        for one, after in pairwise(tokens)
        if one.key == first.key and _is_large(after)
    }
    # `her daughter Ada` may be of another name than Ada Lind.
    kin = any(
        before.key in FAMILY and one.key == first.key
        for tokens in passage
        for before, one in pairwise(tokens)
    )
    return surnames == {last.key} and not kin


def _is_large(token: Token) -> bool:
    return token.kind == "word" and token.written[:1].isupper()
