"""Decides whether what one frame says follows from another."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sourcebook.answering.proof.frames import Frame, Noun, Phrase
from sourcebook.answering.proof.people import is_person
from sourcebook.answering.proof.references import References, is_name
from sourcebook.answering.proof.scope import (
    DEMANDING,
    JOINING,
    PERMITTING,
    RANKING,
    counts_otherwise,
    is_date,
    is_sweeping,
    makes_unique,
    turns,
)
from sourcebook.answering.proof.tokens import Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    ATTRIBUTIONS,
    COLLECTIVE_WORDS,
    CONDITIONS,
    MODALS,
    NEGATIONS,
    PRONOUNS,
)

_ANYBODY = frozenset({"you", "one", "user", "people", "anybody"})
_SAME_WORDS = (frozenset({"if", "when", "whenever"}),)
# What a clause of the evidence only adds, so that a claim may do without it.
_ADDED = frozenset({"because", "although", "so that"})
_ALIKE = (
    frozenset({"in", "inside", "during"}),
    frozenset({"via", "through"}),
    frozenset({"onto", "on", "upon"}),
    frozenset({"", "for"}),
)
_BEARS = {
    "!": frozenset({"must", "should"}),
    # Who is told how to reach something need not want to.
    "offer": frozenset({"!", "can"}),
    "must": frozenset({"should", "!"}),
    "never": frozenset({"not"}),
    "may": frozenset({"can"}),
    "beallowed": frozenset({"may", "can"}),
}
_DENYING = frozenset({"not", "never", "no"})
# What these say is said of whoever does it: `Diabetics must avoid sugar`.
_OF_AGENTS = _DENYING | MODALS | {"only agent"}
# `Nobody broke the record`, `Few doctors recommend it`.
_NOBODY = NEGATIONS | word_keys({"nobody", "few", "little", "zero", "hardly", "scarcely"})
_SETTING = word_keys({"set", "specify", "give", "configure", "change", "override", "say", "choose"})
_COLLECTIVE = word_keys(COLLECTIVE_WORDS)
_MANNER = word_keys(
    {"entirely", "automatically", "silently", "directly", "carefully", "gently", "firmly"}
)
# A claim may do without these, but not add them.
_IDLE = frozenset({"then", "still", "now", "already"})
# `served with cream`, `charged with theft`: no tool.
_GOING_WITH = word_keys(
    {"serve", "sell", "deliver", "ship", "supply", "provide", "send", "eat", "drink", "buy", "rent"}
    | {"build", "share", "connect", "store", "keep", "transport", "display", "compare", "mix"}
    | {"combine", "charge", "credit", "diagnose", "infect", "leave", "associate", "pack", "start"}
    | {"begin", "end", "fit", "equip", "receive", "bring", "carry", "come", "live", "meet"}
)
_RECEIVING = word_keys({"receive", "get"})
_PLACING = frozenset({"in", "at"})
# `The price of the S24 is 300 euros`, but not `The king bought the house of Ada Lind`.
_OWNING = frozenset({"of", "for"})
_OPINIONS = word_keys(ATTRIBUTIONS)
MAX_DEPTH = 3


class FrameMatch:
    """Compares frames of a claim with frames of the evidence, whose words refer to things."""

    def __init__(self, references: References) -> None:
        self._references = references

    def follows(self, claim: Frame, evidence: Frame, depth: int = MAX_DEPTH) -> bool:
        """Whether the evidence says what the claim says."""
        return any(self._says(one, claim, depth) for one in _variants(evidence))

    def _says(self, evidence: Frame, claim: Frame, depth: int) -> bool:
        if not depth or not _same_verb(evidence, claim) or evidence.past != claim.past:
            return False
        left = _unshared_signs(evidence, claim)
        if left is None:
            return False
        return (
            self._same_agent(evidence, claim)
            and self._same_patient(evidence, claim)
            and self._has_phrases(evidence, claim)
            and self._has_clauses(evidence, claim, left, depth)
        )

    def _same_agent(self, evidence: Frame, claim: Frame) -> bool:
        if claim.agent is None or _is_anybody(claim.agent):
            return _may_be_anybody(evidence, claim)
        if evidence.agent is None or _is_anybody(evidence.agent):
            # `The bank was robbed` does not say that it was done by whom the text is about.
            return False
        if _keys_of(evidence.agent) == {"we"} and self._is_title(claim.agent):
            # `We` are those whom the text is about.
            return True
        # `A key and a code open the safe` does not say that either does.
        together = len(claim.agent.items) == len(evidence.agent.items)
        return together and self._same(evidence.agent, claim.agent, evidence)

    def _is_title(self, noun: Noun) -> bool:
        return not noun.join and self._references.is_title(noun.items[0])

    def _same_patient(self, evidence: Frame, claim: Frame) -> bool:
        if claim.patient is None or evidence.patient is None:
            return claim.patient is evidence.patient
        if evidence.verb == "be" and makes_unique(
            evidence.patient.items[0], claim.patient.items[0]
        ):
            return False
        return self._same(evidence.patient, claim.patient, evidence)

    def _same(self, evidence: Noun, claim: Noun, frame: Frame) -> bool:
        """The same things, in any order, or some of those that `and` joins."""
        if len(claim.items) > len(evidence.items):
            return False
        if len(claim.items) == len(evidence.items):
            if len(claim.items) > 1 and claim.join != evidence.join:
                return False
        elif evidence.join != "and" or claim.join == "or" or not _is_distributive(frame, evidence):
            return False
        if _is_parallel(frame):
            pairs = zip(evidence.items, claim.items, strict=False)
            together = len(claim.items) == len(evidence.items)
            return together and all(self._is_same(one, item) for one, item in pairs)
        left = list(evidence.items)
        for item in claim.items:
            found = next((one for one in left if self._is_same(one, item)), None)
            if found is None:
                return False
            left.remove(found)
        return True

    def _same_in_phrase(self, evidence: Phrase, claim: Phrase, frame: Frame) -> bool:
        # `The safe opens with a key and a code.`
        if evidence.name in JOINING | {""} and _is_less(evidence.noun, claim.noun):
            return False
        return self._same(evidence.noun, claim.noun, frame)

    def _is_same(self, evidence: Tokens, claim: Tokens) -> bool:
        if _is_other_participle(evidence, claim):
            return False
        return self._references.same(evidence, claim) and not counts_otherwise(evidence, claim)

    def _has_phrases(self, evidence: Frame, claim: Frame) -> bool:
        left = list(evidence.phrases)
        for phrase in claim.phrases:
            found = next(
                (
                    one
                    for one in left
                    if _alike(one.name, phrase.name)
                    and _may_describe(one, phrase)
                    and self._same_in_phrase(one, phrase, evidence)
                ),
                None,
            )
            if found is not None:
                left.remove(found)
            elif not self._is_setting(phrase, evidence):
                return False
        return all(_may_be_left_out(one, evidence) for one in left)

    def _is_setting(self, phrase: Phrase, evidence: Frame) -> bool:
        """Whether a phrase names what all is about, and the clause nothing else by its name."""
        item = phrase.noun.items[0]
        if phrase.name not in _PLACING and not (phrase.name in _OWNING and evidence.verb == "be"):
            return False
        nouns = [one for one in (evidence.agent, evidence.patient) if one is not None]
        others = [
            token
            for noun in nouns
            for one in noun.items
            if not self._references.same(one, item)
            for token in one
        ]
        # What the queen did need not be done where the text is about.
        other = any(is_name(token) or token.key == "other" or is_person(token) for token in others)
        does = any(self._references.same(one.items[0], item) for one in nouns[:1])
        return (
            self._references.is_topic(item) and not other and not (does and phrase.name in _OWNING)
        )

    def _has_clauses(
        self, evidence: Frame, claim: Frame, signs: frozenset[str], depth: int
    ) -> bool:
        left = list(evidence.clauses)
        for word, clause in claim.clauses:
            found = next(
                (
                    one
                    for one in left
                    if _same_word(one[0], word)
                    and not (word in JOINING and _is_less(one[1].patient, clause.patient))
                    and self.follows(clause, one[1], depth - 1)
                ),
                None,
            )
            if found is None:
                return False
            left.remove(found)
        if "by default" in signs:
            left = [one for one in left if not _is_default(*one)]
            if len(left) == len(evidence.clauses) - len(claim.clauses):
                return False
        return all(_is_added(word, evidence) or _is_past_event(word, evidence) for word, _ in left)


def _is_less(evidence: Noun | None, claim: Noun | None) -> bool:
    """Whether the claim has fewer of the things that are joined."""
    return evidence is not None and claim is not None and len(claim.items) < len(evidence.items)


def _is_other_participle(evidence: Tokens, claim: Tokens) -> bool:
    """`boiled water` for `boiling water`."""
    said = {token.key: token for token in evidence}
    return any(turns(said[token.key], token) for token in claim if token.key in said)


def _is_parallel(frame: Frame) -> bool:
    """`The pump and the fan draw 9 A and 2 A`: the first of each, and the second of each."""
    nouns = [frame.agent, frame.patient, *(one.noun for one in frame.phrases)]
    counts = [len(noun.items) for noun in nouns if noun is not None and len(noun.items) > 1]
    return len(set(counts)) < len(counts)


def _may_be_anybody(evidence: Frame, claim: Frame) -> bool:
    """Whether a claim does without who does it, or says it of anybody."""
    if evidence.agent is None or _is_anybody(evidence.agent):
        return True
    if claim.verb == "be":
        # `Is 500 by default` leaves out what is.
        return False
    # Of a contract, `you` and whoever `we` are have different duties.
    # `The valve closes the pipe when it leaks`: either may leak.
    if _keys_of(evidence.agent) & (PRONOUNS | _NOBODY | {"we"}):
        return False
    # `Doctors may prescribe it` does not say that it may be prescribed by others.
    return claim.agent is None and not evidence.signs & _OF_AGENTS


def _may_describe(evidence: Phrase, claim: Phrase) -> bool:
    """Not `the key to the cellar opens the door` for `the key opens the door to the cellar`."""
    if claim.noun.items[0][0].kind == "code":
        # `confirmed by the reader with `ack``: a piece of code describes nobody.
        return True
    return not evidence.about or not claim.about or evidence.about == claim.about


def _may_be_left_out(phrase: Phrase, frame: Frame) -> bool:
    """Whether what happened once is told without its date; where and how may limit it."""
    if frame.signs or not phrase.late or frame.verb == "be" or _is_unique(frame):
        return False
    dated = len(phrase.noun.items) == 1 and is_date(phrase.noun.items[0][-1])
    return frame.past and phrase.name in {"in", "on"} and dated


def _is_added(word: str, frame: Frame) -> bool:
    """Whether a clause only adds; `All cards are accepted, although …` takes something back."""
    if word == "because" and frame.signs & _DENYING:
        # `It did not stop because the filter was wet`, but because of something else.
        return False
    return word in _ADDED and not (word == "although" and _is_sweeping(frame))


def _is_past_event(word: str, frame: Frame) -> bool:
    """Whether something happened, before or after what a clause tells."""
    told = frame.past and frame.verb != "be" and not frame.signs and not _is_unique(frame)
    return word in {"before", "after"} and told


def _is_unique(frame: Frame) -> bool:
    """Whether it is said of the first, the only, the largest or all: a detail may decide."""
    return any(
        token.key in RANKING or token.written.lower().endswith("est")
        for noun in (frame.agent, frame.patient)
        if noun is not None
        for item in noun.items
        for token in item
    )


def _variants(frame: Frame) -> Iterator[Frame]:
    """A frame, and the other way round where means and purpose change places."""
    yield frame
    yield from _with_tool(frame)
    yield from _received(frame)
    if frame.agent is not None and frame.patient is not None and not frame.agent.items[0][0].opens:
        # `sent by email` says by which means.
        yield replace(frame, agent=None, phrases=(*frame.phrases, Phrase("via", frame.agent)))
    for word, clause in frame.clauses:
        rest = tuple(one for one in frame.clauses if one[1] is not clause)
        if word == "by" and not frame.signs & _DENYING:
            done = replace(frame, clauses=rest, signs=frame.signs - {"!", "can", "must", "should"})
            modal = frame.signs & {"!", "can", "must", "should"} or frozenset({"!"})
            for signs in (modal, frozenset({"can"})):
                yield replace(clause, clauses=(*clause.clauses, ("to", done)), signs=signs)
        elif word == "to" and "!" in frame.signs and not frame.signs & _DENYING:
            means = replace(frame, clauses=rest, signs=frozenset())
            yield replace(frame, signs=(frame.signs - {"!"}) | {"can"})
            signs = frozenset({"offer"})
            yield replace(clause, clauses=(*clause.clauses, ("by", means)), signs=signs)


def _with_tool(frame: Frame) -> Iterator[Frame]:
    """`fill it with X` as `use X to fill it`, and the other way round."""
    if frame.signs & _DENYING:
        return
    for phrase in frame.phrases if frame.verb not in _GOING_WITH else ():
        if phrase.name == "with" and not phrase.noun.join and not _may_have(frame.patient):
            others = tuple(one for one in frame.phrases if one is not phrase)
            done = replace(frame, phrases=others, signs=frozenset(), clauses=(), agent=None)
            clauses = (*frame.clauses, ("to", done))
            yield Frame("use", frame.agent, phrase.noun, (), clauses, frame.signs)
    purposes = [one for one in frame.clauses if one[0] == "to"]
    if frame.verb == "use" and frame.patient is not None and len(purposes) == 1:
        rest = tuple(one for one in frame.clauses if one[0] != "to")
        done = purposes[0][1]
        yield replace(
            done,
            agent=frame.agent,
            phrases=(*done.phrases, *frame.phrases, Phrase("with", frame.patient)),
            clauses=(*done.clauses, *rest),
            signs=frame.signs,
        )


def _may_have(noun: Noun | None) -> bool:
    """`admits travellers with a visa`: what several have is no tool."""
    last = noun.items[-1] if noun is not None else ()
    return bool(last) and last[-1].form == "s" and not last[0].opens


def _received(frame: Frame) -> Iterator[Frame]:
    """`X receives Y` as `Y is given to X`."""
    if frame.verb in _RECEIVING and frame.agent is not None and not frame.signs & _DENYING:
        yield replace(
            frame, verb="give", agent=None, phrases=(*frame.phrases, Phrase("to", frame.agent))
        )


def _same_verb(evidence: Frame, claim: Frame) -> bool:
    if evidence.verb == claim.verb:
        return True
    names = {evidence.verb, claim.verb} == {"run", "use"}
    return names and all(
        one.patient is not None and one.patient.items[0][0].kind == "code"
        for one in (evidence, claim)
    )


def _unshared_signs(evidence: Frame, claim: Frame) -> frozenset[str] | None:
    """What the claim has beyond and is not borne by the evidence's signs; None if they differ."""
    ours, theirs = claim.signs - evidence.signs, evidence.signs - claim.signs
    theirs = theirs - _MANNER - _IDLE if not evidence.signs & _DENYING else theirs
    for sign in sorted(ours):
        bearing = next((one for one in sorted(theirs) if sign in _BEARS.get(one, ())), None)
        if bearing in {"may", "can"} and evidence.signs & _DENYING:
            return None
        if bearing is not None:
            ours, theirs = ours - {sign}, theirs - {bearing}
    if theirs in ({"!"}, {"offer"}) and not ours and (_is_told(claim) or claim.verb == "use"):
        theirs = frozenset()
    if theirs or ours - {"by default"}:
        return None
    return ours


def _keys_of(noun: Noun) -> frozenset[str]:
    return frozenset(token.key for item in noun.items for token in item)


def _is_told(claim: Frame) -> bool:
    """`You set it by turning the handle` says how, as an order does."""
    return claim.agent is not None and _is_anybody(claim.agent)


def _is_anybody(noun: Noun) -> bool:
    return len(noun.items) == 1 and len(noun.items[0]) == 1 and noun.items[0][0].key in _ANYBODY


def _is_distributive(frame: Frame, noun: Noun) -> bool:
    """Whether what is said of all is said of each."""
    if frame.signs & (_DENYING | {"only", "only agent", "only patient"}):
        return False
    if frame.verb == "be" and not all(item[0].opens for item in noun.items):
        # `The flag is red and white.`
        return False
    figures = any(token.kind == "figure" for item in noun.items for token in item)
    words = {frame.verb, *(token.key for item in noun.items for token in item)}
    return not figures and not words & _COLLECTIVE


def _alike(one: str, other: str) -> bool:
    return one == other or any(one in words and other in words for words in _ALIKE)


def _same_word(one: str, other: str) -> bool:
    # `Customers who pay late` are those of whom it is true if they pay late.
    plain = ["if" if word.startswith("that ") else word for word in (one, other)]
    return plain[0] == plain[1] or any(
        plain[0] in words and plain[1] in words for words in _SAME_WORDS
    )


def _is_default(word: str, clause: Frame) -> bool:
    return word == "unless" and clause.verb in _SETTING and not clause.signs


def stands_alone(frame: Frame, others: Sequence[Frame]) -> bool:
    """Whether nothing else in its sentence can change what a frame says."""
    if frame is not others[-1] and _is_sweeping(frame):
        # `Every bus is free, but the night bus costs 3 euros.`
        return False
    if _words_of(frame) & PERMITTING and any(_words_of(one) & DEMANDING for one in others):
        # `Dogs are allowed; a lead is required.`
        return False
    return frame.apart or not any(_changes(other) for other in others if other is not frame)


def _words_of(frame: Frame) -> frozenset[str]:
    """What a frame says of its subject: its verb, its signs and its patient."""
    done_to = _keys_of(frame.patient) if frame.patient is not None else frozenset()
    return frame.signs | done_to | {frame.verb}


def _is_sweeping(frame: Frame) -> bool:
    """Whether something is said of all or none."""
    nouns = [frame.agent, frame.patient, *(phrase.noun for phrase in frame.phrases)]
    said = any(is_sweeping(item) for noun in nouns if noun is not None for item in noun.items)
    return said or bool(frame.signs & _DENYING)


def _changes(frame: Frame) -> bool:
    words = {word for word, _ in frame.clauses} | {phrase.name for phrase in frame.phrases}
    if frame.verb in _OPINIONS or frame.signs & (_DENYING | {"by default"}):
        return True
    if any(sign.startswith("only") for sign in frame.signs):
        return True
    return any(word.lstrip("?") in CONDITIONS | {"without", "or"} for word in words)
