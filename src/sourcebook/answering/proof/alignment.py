"""Aligns a claim with evidence, word for word and in order, but for what may be left out."""

from itertools import pairwise

from sourcebook.answering.proof.clauses import ORDER, phrase_end
from sourcebook.answering.proof.inflection import inflection
from sourcebook.answering.proof.omissions import omissions
from sourcebook.answering.proof.scope import counts_otherwise, turns
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import NEGATIONS
from sourcebook.answering.proof.word_forms import PAST_FORMS, UNCHANGED_PARTICIPLES

# What stands in the evidence, and which words it bears in a claim besides itself.
_BEARS = {
    "never": frozenset({"not"}),
    "!": frozenset({"must", "should"}),
    "must": frozenset({"should", "!"}),
    # Not the other way round: `The parcel may arrive late.`
    "beallowed": frozenset({"may"}),
}
_BE_OR_HAVE = frozenset({"be", "have"})
_WHENEVER = frozenset({"if", "when", "whenever"})


def aligns(claim: Tokens, evidence: Tokens) -> bool:
    """Whether every token of a claim has its counterpart in the evidence, in the same order.

    All that the evidence has beyond must be of the kind that may be left out.
    """
    starts = [place for place, token in enumerate(claim) if not token.is_mark]
    wanted = [claim[place] for place in starts]
    skips = omissions(evidence)
    choice = _is_way(evidence)
    past = any(token.written.lower() in PAST_FORMS for token in evidence)
    places: dict[int, set[int]] = {0: {0}}
    for place in range(len(evidence) + 1):
        here = places.get(place, set())
        if not here:
            continue
        if place == len(evidence):
            return len(wanted) in here
        for end in skips.get(place, ()):
            places.setdefault(end, set()).update(here)
        token = evidence[place]
        step = places.setdefault(place + 1, set())
        if token.is_mark:
            step |= here
            continue
        step |= {
            done + 1
            for done in here
            if done < len(wanted)
            and _bears(token, wanted[done], past=past, choice=choice)
            and not (token.opens and _counts_otherwise(evidence, place, claim, starts[done]))
        }
    return False


def _is_way(evidence: Tokens) -> bool:
    """Whether an order tells how to reach something, which one may also not want to."""
    if not evidence or evidence[0] != ORDER or any(one.key in NEGATIONS for one in evidence):
        return False
    return any(one.key == "to" and other.key in VERBS for one, other in pairwise(evidence))


def _counts_otherwise(evidence: Tokens, place: int, claim: Tokens, start: int) -> bool:
    end = phrase_end(evidence, place)
    theirs, ours = evidence[place:end], claim[start : phrase_end(claim, start)]
    if not place and not start and _is_general(theirs, evidence[end:]):
        return False
    return counts_otherwise(theirs, ours)


def _is_general(about: Tokens, rest: Tokens) -> bool:
    """`A request that is late is cancelled` says it of all; `A window was broken` of one."""
    one = not about[0].definite and about[-1].form == "base"
    return one and not any(token.written.lower() in PAST_FORMS for token in rest)


def _changes_time(evidence: Token, claim: Token) -> bool:
    """`was closed` for `is closed`: what was need not be, and what will be is not yet."""
    if evidence.written == "being":
        return claim.written not in {"being", ""}
    if evidence.written == "been" or not (_is_verb_form(evidence) and _is_verb_form(claim)):
        return False
    return {evidence.form, claim.form} in ({"ed", "s"}, {"ed", "base"})


def _is_verb_form(token: Token) -> bool:
    """Whether it is written as a verb whose form tells the time."""
    key = inflection(token.written.lower()).key
    return key in _BE_OR_HAVE or (key in VERBS and key not in UNCHANGED_PARTICIPLES)


def _bears(evidence: Token, claim: Token, *, past: bool, choice: bool) -> bool:
    if choice and evidence == ORDER and claim.key == "can":
        return True
    if evidence.key == claim.key:
        changed = turns(evidence, claim) or _changes_time(evidence, claim)
        return evidence.kind == claim.kind and not changed
    if evidence.key in _WHENEVER and claim.key in _WHENEVER:
        # Of the past, `when` tells what happened and `if` what did not.
        return not past
    return claim.key in _BEARS.get(evidence.key, ())
