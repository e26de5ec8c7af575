"""Aligns a claim with evidence, word for word and in order, but for what may be left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sourcebook.answering.proof.clauses import ORDER, phrase_end
from sourcebook.answering.proof.inflection import inflection
from sourcebook.answering.proof.omissions import omissions
from sourcebook.answering.proof.scope import counts_otherwise, makes_unique, turns
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
_BEARING = _WHENEVER | _BEARS.keys()


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """One way to say a claim, with what each alignment of it looks at."""

    tokens: Tokens
    # Its words without the marks, and where they stand.
    words: Tokens
    starts: tuple[int, ...]
    keys: frozenset[str]


class EvidenceReading:
    """One way to say a statement, with what each alignment with it looks at."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.is_way = _is_way(tokens)

    @cached_property
    def is_past(self) -> bool:
        return any(token.written.lower() in PAST_FORMS for token in self.tokens)

    @cached_property
    def skips(self) -> Mapping[int, tuple[int, ...]]:
        """From where to where something may be left out."""
        return omissions(self.tokens)

    @cached_property
    def borne(self) -> frozenset[str]:
        """The keys of all words that a claim may have."""
        keys = {token.key for token in self.tokens if not token.is_mark}
        found = keys.union(*(_BEARS[key] for key in keys & _BEARS.keys()))
        found |= {"can"} if self.is_way else set()
        return frozenset(found if keys.isdisjoint(_WHENEVER) else found | _WHENEVER)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The keys of words that no claim can do without."""
        skipped = {at for start, ends in self.skips.items() for at in range(start, max(ends))}
        return frozenset(
            token.key
            for place, token in enumerate(self.tokens)
            if place not in skipped and not token.is_mark and token.key not in _BEARING
        )


def claim_readings(sentences: Iterable[Tokens]) -> tuple[ClaimReading, ...]:
    """The ways to say a claim, made ready for alignment."""
    return tuple(map(_claim_reading, sentences))


def _claim_reading(tokens: Tokens) -> ClaimReading:
    starts = tuple(place for place, token in enumerate(tokens) if not token.is_mark)
    words = tuple(tokens[place] for place in starts)
    return ClaimReading(tokens, words, starts, frozenset(word.key for word in words))


def aligns(claim: ClaimReading, evidence: EvidenceReading) -> bool:
    """Whether every token of a claim has its counterpart in the evidence, in the same order.

    All that the evidence has beyond must be of the kind that may be left out.
    """
    # Nearly all that do not align end here.
    return (
        claim.keys <= evidence.borne
        and evidence.needed <= claim.keys
        and aligns_in_order(claim, evidence)
    )


def aligns_in_order(claim: ClaimReading, evidence: EvidenceReading) -> bool:
    """Whether the words follow each other alike, of a claim that has the right ones."""
    tokens, words = evidence.tokens, claim.words
    # How many words of the claim are found, by the place up to which the evidence is read.
    found: dict[int, set[int]] = {0: {0}}
    for place, token in enumerate(tokens):
        here = found.pop(place, None)
        if not here:
            if not found:
                return False
            continue
        for end in evidence.skips.get(place, ()):
            found.setdefault(end, set()).update(here)
        if not token.is_mark:
            here = {
                done + 1
                for done in here
                if done < len(words)
                and _bears(token, words[done], past=evidence.is_past, choice=evidence.is_way)
                and not (
                    token.opens
                    and _counts_otherwise(tokens, place, claim.tokens, claim.starts[done])
                )
            }
        if here:
            found.setdefault(place + 1, set()).update(here)
    return len(words) in found.get(len(tokens), ())


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
    if place and evidence[place - 1].key == "be" and makes_unique(theirs, ours):
        return True
    return counts_otherwise(theirs, ours)


def _is_general(about: Tokens, rest: Tokens) -> bool:
    """`A request that is late is cancelled` says it of all; `A window was broken` of one."""
    one = not about[0].definite and about[-1].form == "base"
    return one and not any(token.written.lower() in PAST_FORMS for token in rest)


def _changes_time(evidence: Token, claim: Token) -> bool:
    """`was closed` for `is closed`: what was need not be, and what will be is not yet."""
    if evidence.written == "being":
        return claim.written not in {"being", ""}
    forms = {evidence.form, claim.form}
    if evidence.written == "been" or not evidence.written or not claim.written:
        return False
    # No noun has both forms: `mapped` and `maps` are a verb's, whether it is on a list or not.
    return forms == {"ed", "s"} or (
        forms == {"ed", "base"} and _is_verb_form(evidence) and _is_verb_form(claim)
    )


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
