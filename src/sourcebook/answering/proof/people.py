"""Finds the people in a sentence, and whether `he` or `she` can mean them."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from sourcebook.answering.proof.clauses import clause_end, is_plain, is_verb, verb_place
from sourcebook.answering.proof.names import name_runs
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import PLACES, PREPOSITIONS

Gender: TypeAlias = Literal["he", "she", "either"]

PERSONAL: dict[str, Gender] = {
    "he": "he",
    "him": "he",
    "his": "he",
    "she": "she",
    "her": "she",
}
# Names after these are places; people stand after `by`, `to` and `with`.
_PLACING = frozenset({"in", "at", "near", "on", "across", "along", "through", "into", "over"})
# Nobody moves to a person.
_MOVING = word_keys({"move", "emigrate", "travel", "sail", "march", "relocate"})
_MALE = word_keys(
    {"father", "brother", "son", "husband", "uncle", "nephew", "king", "duke", "grandfather"}
    | {"man", "boy", "widower", "grandson", "prince", "lord", "sir", "monk", "gentleman", "emperor"}
    | {"stepfather", "stepson", "godfather", "count", "baron", "mr", "abbot", "fisherman", "actor"}
)
_FEMALE = word_keys(
    {"mother", "sister", "daughter", "wife", "aunt", "niece", "queen", "duchess", "grandmother"}
    | {"woman", "girl", "widow", "granddaughter", "princess", "lady", "nun", "empress", "mrs"}
    | {"stepmother", "stepdaughter", "godmother", "countess", "baroness", "miss", "actress"}
)
_ROLES = word_keys(
    {"child", "cousin", "parent", "twin", "person", "friend", "colleague", "student", "pupil"}
    | {"mayor", "doctor", "nurse", "captain", "colonel", "general", "marshal", "judge", "priest"}
    | {"bishop", "saint", "poet", "chef", "pilot", "guide", "clerk", "agent", "thief", "patient"}
    | {"president", "chairman", "secretary", "minister", "architect", "engineer", "botanist"}
    | {"assistant", "apprentice", "partner", "rival", "successor", "author", "coach", "knight"}
    | {"client", "customer", "resident", "neighbor", "witness", "spy", "guest", "host", "boss"}
    | {"spouse", "fiance", "servant", "maid", "cook", "professor", "tutor", "critic", "merchant"}
    | {"someone", "banker", "lecturer", "postmaster", "widower"}
)
_PEOPLE_ONLY = (_MALE | _FEMALE) - word_keys({"count"})
_PEOPLE_ONLY |= word_keys(
    {"child", "mayor", "doctor", "nurse", "captain", "colonel", "marshal", "judge", "priest"}
    | {"bishop", "poet", "pilot", "thief", "president", "chairman", "minister", "architect"}
    | {"engineer", "knight", "professor", "merchant", "person", "friend"}
)
_ENDINGS = ("ist", "ian", "ess", "eer", "ster", "wright", "smith", "keeper", "grapher")
_SHIPS = word_keys({"ship", "ferry", "boat", "yacht", "steamer", "vessel", "schooner", "tanker"})
_PRETENDED = word_keys(
    {"false", "pretender", "impostor", "alleged", "supposed", "fictional", "dead", "late"}
)
_NO_PEOPLE = word_keys(
    {"business", "process", "address", "access", "success", "illness", "fitness"}
)


def gender_of(token: Token) -> Gender | None:
    """Whom a common noun can mean, or None if it is no word for a person."""
    if token.kind != "word":
        return None
    word = token.written.removesuffix("s")
    if token.key in _FEMALE or word.endswith("woman"):
        return "she"
    # `chairman` is said of women too.
    if token.key in _MALE or (word.endswith("man") and token.key not in _ROLES and word.islower()):
        return "he"
    return "either" if token.key in _ROLES or _is_role(token, word) else None


def _is_role(token: Token, word: str) -> bool:
    if not word.islower():
        # `Kestrian` says where somebody is from.
        return False
    if word.endswith(_ENDINGS) and token.key not in _NO_PEOPLE and len(word) > 5:
        return True
    # `painter`, `teacher`, `director`.
    doing = word.removesuffix("er").removesuffix("or")
    verbs = {doing, f"{doing}e", *([doing[:-1]] if doing[-1:] == doing[-2:-1] else [])}
    return len(doing) > 2 and doing != word and not word_keys(verbs).isdisjoint(VERBS)


def is_person(token: Token) -> bool:
    """Whether it is a word for nothing but people: `queen`, `mayor`; not `server`, `host`."""
    return token.kind == "word" and token.key in _PEOPLE_ONLY


def is_office(words: Tokens) -> bool:
    """Whether words before a name say what somebody is: `the customs officer`; not `the ship`."""
    return (
        bool(words)
        and gender_of(words[-1]) is not None
        and not any(word.key in _PRETENDED for word in words)
    )


def may_be_she_or_he(kind: Token) -> bool:
    """Whether what is of this kind is called `he` or `she`: a person, or a ship."""
    return gender_of(kind) is not None or kind.key in _SHIPS


def people_in(tokens: Tokens) -> Iterator[tuple[int, Gender]]:
    """Where people are spoken of, by name or by what they are."""
    for start, run in name_runs(tokens):
        before = tokens[start - 1] if start else None
        after = tokens[start + len(run)] if start + len(run) < len(tokens) else None
        if not start and len(run) == 1 and after is not None and after.key in PREPOSITIONS:
            # `Born in Oderlin, she …`.
            continue
        if _is_place(tokens, start) or (before is not None and before.kind == "figure"):
            continue
        genders = [gender_of(one) for one in ((before,) if before else ()) + run]
        known = [one for one in genders if one is not None]
        if not run[0].opens or known:
            yield start, next((one for one in known if one != "either"), "either")
    for place, token in enumerate(tokens):
        gender = gender_of(token) if token.form == "base" and token.written.islower() else None
        if gender is not None:
            yield place, _predicated(tokens, place) if gender == "either" else gender


def _is_place(tokens: Tokens, start: int) -> bool:
    """`in Oderlin`, `the island of Tarrow`, `moved to Prague`."""
    before = tokens[start - 1].key if start else ""
    if before == "to" and start > 1 and tokens[start - 2].key in _MOVING:
        return True
    return before in _PLACING or (before == "of" and start > 1 and tokens[start - 2].key in PLACES)


def _predicated(tokens: Tokens, place: int) -> Gender:
    """`her coach was a retired postman` speaks of a man."""
    verb = verb_place(tokens)
    if verb is None or place > verb or tokens[verb].key != "be":
        return "either"
    genders = {gender_of(one) for one in tokens[verb : clause_end(tokens, verb)]}
    if "she" in genders:
        return "either"
    return "he" if "he" in genders else "either"


def is_denied(tokens: Tokens, place: int) -> bool:
    """`the prize had never gone to a woman`: there is none who could be meant."""
    start = place
    while start and not tokens[start].is_mark:
        start -= 1
    return any(one.key in {"never", "no", "not", "without"} for one in tokens[start:place])


def is_object_of(tokens: Tokens, other: int, place: int) -> bool:
    """`Renk lent her money`, `with whom she worked`: the other one cannot be meant."""
    before = tokens[place - 1]
    if before.key == "whom":
        return True
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    owns = after is not None and is_plain(after) and not after.opens
    done = before.key in VERBS and before.form in {"ed", "s"} and not owns
    return done and not any(is_verb(tokens, at) for at in range(other, place - 1))
