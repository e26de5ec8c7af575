"""Finds the parts of a clause in its tokens: subject, verb, object, where a phrase ends."""

from sourcebook.answering.proof.tokens import VERBS, Token, Tokens
from sourcebook.answering.proof.word_classes import (
    COORDINATORS,
    MODALS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    TIME_ADVERBS,
)
from sourcebook.answering.proof.word_forms import UNCHANGED_PARTICIPLES

# What tells how often, and what a sentence may begin with before its subject.
TIMES = TIME_ADVERBS | {"every"}
LEADING_WORDS = SUBORDINATORS | PREPOSITIONS | TIMES | {"by default"}
_NOT_PLAIN = PREPOSITIONS | SUBORDINATORS | RELATIVES | POSSESSIVES | {"and", "or", "but"}
# The sign of an order: `Open the valve.` is read as `! open valve`.
ORDER = Token("!")
MAX_SUBJECT_WORDS = 8
_HELPING_VERBS = frozenset({"be", "have"}) | MODALS
_BREAKS = (
    SUBORDINATORS
    | RELATIVES
    | COORDINATORS
    | PREPOSITIONS
    | _HELPING_VERBS
    | TIME_ADVERBS
    | {"every"}
)
_LASTING = frozenset({"have", "weigh", "cost", "contain", "consist", "last", "belong", "support"})
_OTHERS = POSSESSIVES | {"every", "another", "some", "any"}
# `Some see a red icon, while others see a blue one.`
_REST = frozenset({"some", "other", "others", "rest"})
_PLURAL_SUBJECTS = frozenset({"you", "they", "we", "i", "not", "never"})
_NO_SUBJECT = RELATIVES | SUBORDINATORS | (PREPOSITIONS - {"of"})


def is_helping_verb(token: Token) -> bool:
    """Whether it is `be`, `have` or a modal verb."""
    return token.kind == "word" and token.key in _HELPING_VERBS


def is_verb(tokens: Tokens, place: int) -> bool:
    """Whether a token is the verb of a clause, as far as its form and its neighbours tell."""
    token = tokens[place]
    if is_helping_verb(token):
        return True
    if _is_denied(tokens, place):
        return True
    if token.key not in VERBS or token.kind != "word" or token.opens or not place:
        return False
    before = tokens[place - 1]
    if before.key in PREPOSITIONS or before.is_mark or token.written[:1].isupper():
        return False
    if token.form == "base":
        return before.form == "s" or before.key in _PLURAL_SUBJECTS or is_modal(before)
    return token.form in {"s", "ed"}


def _is_denied(tokens: Tokens, place: int) -> bool:
    """Whether it is the verb of `does not free`, of which `does` is not read."""
    if place < 2 or tokens[place - 1].key != "not" or tokens[place].form != "base":
        return False
    return is_plain(tokens[place]) and not tokens[place].opens and is_plain(tokens[place - 2])


def is_modal(token: Token) -> bool:
    """Whether it is `must`, `can` and the like, or the sign of an order."""
    return token == ORDER or token.key in MODALS


def is_participle(token: Token) -> bool:
    """Whether it may tell what was done: `opened`, `shut`."""
    return token.form == "ed" or not UNCHANGED_PARTICIPLES.isdisjoint(
        {token.key, token.written.lower()}
    )


def verb_place(tokens: Tokens, start: int = 0) -> int | None:
    """Where the first verb of a clause stands, which is where its subject ends."""
    for place in range(start, len(tokens)):
        if tokens[place] == ORDER:
            return place
        if is_verb(tokens, place):
            return place
    return None


def is_lasting(tokens: Tokens) -> bool:
    """Whether a clause tells how something is: its place in a row of events does not matter."""
    place = verb_place(tokens)
    if place is None or tokens[place] == ORDER:
        return False
    verb = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if verb.key == "be":
        return after is None or after.form != "ed"
    measures = any(token.kind == "figure" and token.key[-1].isalpha() for token in tokens)
    return verb.key in _LASTING or measures


def has_verb(tokens: Tokens) -> bool:
    """Whether there is a verb after at least one word of subject, or an order."""
    place = verb_place(tokens)
    return place is not None and (place > 0 or tokens[0] == ORDER)


def clause_start(tokens: Tokens, place: int) -> int:
    """Where the clause begins that a verb stands in."""
    for start in range(place - 1, -1, -1):
        token, after = tokens[start], tokens[start + 1]
        # `glazes that contain lead` is one subject; `says that glazes` begins a clause.
        opens_clause = token.key == "that" and not (after.key in VERBS or is_helping_verb(after))
        if token.is_mark or token.key in SUBORDINATORS or opens_clause:
            return start + 1
    return 0


def phrase_end(tokens: Tokens, start: int) -> int:
    """Where a noun phrase ends that begins at `start`."""
    end = start
    while end < len(tokens):
        token = tokens[end]
        if token.is_mark or (token.key in _BREAKS and end > start):
            break
        if end > start and (is_verb(tokens, end) or token.kind == "figure"):
            break
        end += 1
    return end


def listed_phrase_end(tokens: Tokens, start: int) -> int:
    """Where a noun phrase ends that may be two joined by `and`, or have an `of` in it."""
    end = phrase_end(tokens, start)
    while end + 1 < len(tokens) and tokens[end].key in {"and", "of"}:
        following = phrase_end(tokens, end + 1)
        if following == end + 1 or is_verb(tokens, end + 1) or _begins_clause(tokens, following):
            break
        end = following
    return end


def _begins_clause(tokens: Tokens, place: int) -> bool:
    return place < len(tokens) and is_verb(tokens, place)


def subject(tokens: Tokens) -> Tokens | None:
    """What a clause is about, if that is plain: a short noun phrase right at its beginning."""
    place = verb_place(tokens)
    if not place or place > MAX_SUBJECT_WORDS or tokens[0] == ORDER:
        return None
    found = tokens[:place]
    if any(token.is_mark or token.key in _NO_SUBJECT for token in found):
        return None
    if found[0].key == "there" or found[0].key in PRONOUNS:
        return None
    if any(token.key == "or" for token in found):
        return None
    return found


def antecedent(tokens: Tokens) -> Tokens | None:
    """What a pronoun in the next sentence stands for, if nothing else is there that it could."""
    about = subject(tokens)
    place = verb_place(tokens)
    if about is None or place is None:
        return None
    return None if names_others(tokens) else about


def names_others(tokens: Tokens) -> bool:
    """Whether a sentence names something besides its subject that a pronoun could stand for."""
    place = verb_place(tokens)
    if place is None:
        return True
    rest = tokens[place + 1 :]
    if tokens[place].key == "be" and (not rest or rest[0].form != "ed"):
        # `X is the Y` names one thing twice.
        return False
    other = any(token.opens or token.key in _OTHERS or _is_large(token) for token in rest)
    return other or any(token.form == "s" and token.key not in VERBS for token in rest)


def _is_large(token: Token) -> bool:
    return token.kind != "figure" and token.written[:1].isupper()


def action(tokens: Tokens) -> str:
    """The key of the verb that says what is done, after the helping verbs."""
    place = verb_place(tokens) or 0
    while place + 1 < len(tokens) and (
        is_modal(tokens[place]) or tokens[place].key in {"be", "not", "never", "always"}
    ):
        place += 1
    return tokens[place].key


def contrasts(one: Tokens, other: Tokens) -> bool:
    """Whether `A, while B` says two things of two: `Members pay 5 euros`, `guests pay 8`.

    Not `the fan runs, while the plate is hot`: it may say when.
    """
    about = [subject(one), subject(other)]
    if None in about or action(one) != action(other):
        return False
    keys = [[token.key for token in part or ()] for part in about]
    if _REST & {key for part in keys for key in part}:
        return False
    ends = [_done(part) for part in (one, other)]
    timed = any(token.key in SUBORDINATORS for token in (*one, *other))
    return keys[0] != keys[1] and all(ends) and ends[0] != ends[1] and not timed


def _done(tokens: Tokens) -> list[str]:
    """What stands after the verb that says what is done; nothing if it says how something is."""
    place = verb_place(tokens) or 0
    done = action(tokens)
    is_state = tokens[place].key == "be"
    while place < len(tokens) and tokens[place].key != done:
        place += 1
    if is_state and tokens[place].form != "ed":
        # `The pump is in position B, while the valve is in position A.`
        return []
    return [token.key for token in tokens[place + 1 :]]


def ordered_object(tokens: Tokens) -> Tokens | None:
    """What an order is about: `valve` in `! open valve`."""
    if len(tokens) < 3 or not is_modal(tokens[0]):
        return None
    start = 3 if tokens[1].key in {"not", "never", "always"} else 2
    return tokens[start : phrase_end(tokens, start)] or None


def clause_end(tokens: Tokens, start: int) -> int:
    """Where the next mark stands, or the end."""
    for place in range(start, len(tokens)):
        if tokens[place].is_mark:
            return place
    return len(tokens)


def is_plain(token: Token) -> bool:
    """Whether a token may stand in the middle of a noun phrase."""
    if token.kind == "code":
        return True
    return token.kind == "word" and token.key not in _NOT_PLAIN and not is_helping_verb(token)


def has_time(phrase: Tokens) -> bool:
    """Whether a phrase tells when or how often, or has a figure."""
    return phrase[0].key in TIMES or (len(phrase) > 1 and phrase[1].kind == "figure")


def begins_verb(tokens: Tokens, place: int) -> bool:
    """Whether the verb of the main clause goes on here, also right after a comma."""
    if place >= len(tokens):
        return False
    token = tokens[place]
    if token.opens or token.kind != "word":
        return False
    return is_helping_verb(token) or (token.key in VERBS and token.form in {"s", "ed"})
