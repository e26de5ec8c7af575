"""Brings frames into one form where two constructions say the same."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sourcebook.answering.proof.frames import Frame, Noun, Phrase
from sourcebook.answering.proof.nominals import NOMINALS
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import (
    FIXED_WORDS,
    MEASURE_ADJECTIVES,
    MEASURE_VERBS,
    PRONOUNS,
)

_MEASURE_NOUNS = frozenset(MEASURE_ADJECTIVES.values()) | frozenset(MEASURE_VERBS.values())
_FORBIDDING = word_keys({"forbid", "prohibit", "ban"})
_ALLOWING = word_keys({"allow", "permit", "let"})
# Words that open a clause or stand before a noun: `before it expires`, `before expiry`.
_BOTH = frozenset({"before", "after", "until", "since", "during", "while", "without", "on", "for"})
_STRONG = frozenset({"must", "should", "!"})
# Nouns that say no more than the piece of code they stand with.
_KINDS = word_keys(
    {"command", "option", "flag", "file", "setting", "header", "parameter", "function", "method"}
    | {"folder", "label", "field", "variable", "button", "key", "tool", "program", "module"}
    | {"environment", "table", "column", "property", "argument", "endpoint", "attribute", "class"}
)

_REWRITTEN_VERBS = frozenset({"be", "have", "use", "run", "give"})
_REWRITTEN = word_keys({"system", "app", "application", "program", "software", "tool"})
_REWRITTEN |= FIXED_WORDS | _MEASURE_NOUNS | {"you", "user", "there"}


def normal_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Each frame in its normal form."""
    return tuple(map(normal_frame, frames))


def normal_frame(frame: Frame) -> Frame:
    """A frame in the form that all others of its meaning have too."""
    for form in (_nouns, _prohibition, _measured, _having, _denied, _span):
        frame = form(frame)
    clauses = tuple((word, normal_frame(clause)) for word, clause in frame.clauses)
    return _nominal(replace(frame, clauses=clauses))


def _nouns(frame: Frame) -> Frame:
    """With the verb for the noun that is made of it, and without `command` after its name."""
    return replace(
        frame,
        agent=None if frame.agent is None else _noun(frame.agent),
        patient=None if frame.patient is None else _noun(frame.patient),
        phrases=tuple(one._replace(noun=_noun(one.noun)) for one in frame.phrases),
    )


def _noun(noun: Noun) -> Noun:
    return Noun(tuple(tuple(_item(item)) for item in noun.items), noun.join)


def _item(item: Tokens) -> Iterator[Token]:
    has_code = any(token.kind == "code" for token in item)
    for token in item:
        if has_code and token.kind == "word" and token.key in _KINDS:
            continue
        verb = NOMINALS.get(token.key) if token.kind == "word" else None
        yield token if verb is None else token._replace(key=verb)


def _prohibition(frame: Frame) -> Frame:
    """`Collecting shells is prohibited` as `shells must not be collected`."""
    patient = frame.patient
    known = frame.verb in _FORBIDDING or frame.verb in _ALLOWING
    if not known or frame.agent is not None or patient is None or len(patient.items) > 1:
        return frame
    item = patient.items[0]
    if item[0].form != "ing" or item[0].key not in VERBS or item[0].opens or frame.signs - {"not"}:
        return frame
    allowed = frame.verb in _ALLOWING
    denied = "not" in frame.signs
    signs = frozenset({"may"}) if allowed != denied else frozenset({"must", "not"})
    done_to = Noun((item[1:],)) if item[1:] else None
    return replace(frame, verb=item[0].key, patient=done_to, signs=signs)


def _measured(frame: Frame) -> Frame:
    """`X is 5 m long`, `X has a length of 5 m` and `X weighs 5 g` as `X length is 5 m`."""
    about, value = frame.agent, frame.patient
    if about is None or value is None or len(about.items) > 1 or len(value.items) > 1:
        return frame
    item, name = value.items[0], None
    if item[0].kind != "figure" or item[0].opens:
        return frame
    if frame.verb == "be" and len(item) == 2:
        name = MEASURE_ADJECTIVES.get(item[1].key)
    elif frame.verb == "have" and len(item) > 1 and _is_measure(item[0]):
        return _with_measure(frame, about, item[1:], item[0])
    elif frame.verb in MEASURE_VERBS and len(item) == 1:
        name = MEASURE_VERBS[frame.verb]
    return frame if name is None else _with_measure(frame, about, (Token(name),), item[0])


def _is_measure(figure: Token) -> bool:
    return figure.key[-1].isalpha()


def _with_measure(frame: Frame, about: Noun, name: Tokens, value: Token) -> Frame:
    plain = tuple(token._replace(opens=False) for token in name)
    measured = Noun(((*about.items[0], *plain),))
    return replace(frame, verb="be", agent=measured, patient=Noun(((value,),)))


def _having(frame: Frame) -> Frame:
    """`museums that have five rooms` as `museums with five rooms`."""
    clauses, phrases = [], list(frame.phrases)
    for word, clause in frame.clauses:
        plain = not clause.signs and not clause.clauses and not clause.phrases
        if word.startswith("that ") and clause.verb == "have" and plain and clause.patient:
            phrases.append(Phrase("with", clause.patient))
        else:
            clauses.append((word, clause))
    return replace(frame, clauses=tuple(clauses), phrases=tuple(phrases))


def _denied(frame: Frame) -> Frame:
    """`should never` as `should not`."""
    if "never" in frame.signs and frame.signs & _STRONG and "not" not in frame.signs:
        return replace(frame, signs=(frame.signs - {"never"}) | {"not"})
    return frame


def _span(frame: Frame) -> Frame:
    """`between April and July` as `from April to July`."""
    phrases: list[Phrase] = []
    for phrase in frame.phrases:
        name, noun = phrase.name, phrase.noun
        if name == "between" and noun.join == "and" and len(noun.items) == 2 and _is_date(noun):
            phrases += [Phrase("from", Noun(noun.items[:1])), Phrase("to", Noun(noun.items[1:]))]
        else:
            phrases.append(phrase)
    return replace(frame, phrases=tuple(phrases))


def _is_date(noun: Noun) -> bool:
    return all(
        len(item) == 1 and (item[0].kind == "figure" or item[0].written[:1].isupper())
        for item in noun.items
    )


def _nominal(frame: Frame) -> Frame:
    """`until an engine was installed in 1847` as `until engine install`, `in 1847`."""
    clauses, phrases = [], list(frame.phrases)
    for word, said in frame.clauses:
        same = said.agent is not None and said.agent in {frame.agent, frame.patient}
        clause = replace(said, agent=None) if same else said
        named = _name_of(clause) if word in _BOTH else None
        if named is None and word in {"to", "by", "when"}:
            # `use X to check it before a restart`: the time is that of using X.
            timed = [one for one in clause.phrases if _tells_time(word, one)]
            phrases += timed
            rest = tuple(one for one in clause.phrases if one not in timed)
            clauses.append((word, replace(clause, phrases=rest)))
        elif named is None:
            clauses.append((word, clause))
        else:
            phrases += [Phrase("during" if word == "while" else word, named), *clause.phrases]
    return replace(frame, clauses=tuple(clauses), phrases=tuple(phrases))


def _tells_time(word: str, phrase: Phrase) -> bool:
    if word == "when":
        # `in 1977, when it began` and `when it began in 1977`.
        return phrase.name in {"in", "on"} and _is_date(phrase.noun)
    return phrase.name in _BOTH


def _name_of(clause: Frame) -> Noun | None:
    """A clause as a noun: `engine install`; None if it says more than a noun can."""
    if clause.signs or clause.clauses or (clause.agent and clause.patient):
        return None
    about = clause.patient or clause.agent
    verb = Token(clause.verb)
    if about is None:
        return Noun(((verb,),))
    if len(about.items) > 1 or clause.verb == "be":
        return None
    alone = len(about.items[0]) == 1 and about.items[0][0].key in PRONOUNS | {"them", "you"}
    return Noun(((verb,) if alone else (*about.items[0], verb),))


def content_keys(frame: Frame) -> Iterator[str]:
    """The words and figures of a frame that no rule puts there."""
    if frame.verb not in _REWRITTEN_VERBS:
        yield frame.verb
    for noun in (frame.agent, frame.patient, *(phrase.noun for phrase in frame.phrases)):
        for item in noun.items if noun is not None else ():
            yield from (token.key for token in item if token.key not in _REWRITTEN)
    for _, clause in frame.clauses:
        yield from content_keys(clause)
