"""Words for people, and whether `he` or `she` can mean them."""

from typing import Literal, TypeAlias

from sourcebook.answering.proof.tokens import VERBS, Token, word_keys

Gender: TypeAlias = Literal["he", "she", "either"]

PERSONAL: dict[str, Gender] = {
    "he": "he",
    "him": "he",
    "his": "he",
    "she": "she",
    "her": "she",
}
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
_ENDINGS = ("ist", "ian", "ess", "eer", "ster", "wright", "smith", "keeper", "grapher")
_SHIPS = word_keys({"ship", "ferry", "boat", "yacht", "steamer", "vessel", "schooner", "tanker"})
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


def may_be_she_or_he(kind: Token) -> bool:
    """Whether what is of this kind is called `he` or `she`: a person, or a ship."""
    return gender_of(kind) is not None or kind.key in _SHIPS
