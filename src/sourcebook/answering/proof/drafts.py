"""Groups the parts of a sentence into clauses: each verb with what belongs to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sourcebook.answering.proof.frames import Noun
from sourcebook.answering.proof.phrases import Part
from sourcebook.answering.proof.tokens import word_keys

# What ends the reach of `If A,` at the beginning of a sentence.
STOPS = frozenset({";", ":", "—", ".", "so"})
# What is said after `, which` is said of what these have, and not of what they do.
_LASTING = word_keys(
    {"be", "have", "contain", "include", "comprise", "use", "need", "require", "become", "own"}
)


@dataclass(slots=True)
class Draft:
    """The parts of a clause before it is known who does what."""

    opening: str = ""
    join: str = ""
    lead: list[Part] = field(default_factory=list)
    before: list[Part] = field(default_factory=list)
    verb: Part | None = None
    after: list[Part] = field(default_factory=list)
    about: Noun | None = None
    focused: bool = False


class Grouping:
    """Groups parts into clauses: each verb with what belongs to it."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._done: list[Draft] = []
        self._draft = Draft()
        # A main clause whose subject is followed by `that …` waits here for its verb.
        self._waiting: Draft | None = None

    def drafts(self) -> list[Draft] | None:
        for place, part in enumerate(self._parts):
            if not self._take(place, part):
                return None
        if self._draft.verb is None:
            return None
        self._done.append(self._draft)
        return None if self._waiting is not None else self._done

    def _take(self, place: int, part: Part) -> bool:
        if part.kind == "verb":
            return self._verb(part)
        if part.kind == "clause":
            return self._clause(place, part)
        if part.kind == "relative":
            return self._relative(place, part)
        draft = self._draft
        if draft.verb is not None:
            draft.after.append(part)
        elif part.kind == "join":
            if part.key == "," and not draft.lead:
                draft.lead, draft.before = draft.before, []
            else:
                return False
        else:
            draft.before.append(part)
        return True

    def _clause(self, place: int, part: Part) -> bool:
        draft, focused = self._draft, False
        last = draft.after if draft.verb is not None else draft.before
        if last and last[-1].kind == "adverb" and last[-1].key == "only":
            last.pop()
            focused = True
        joined = ""
        while last and last[-1].kind == "join":
            key = last.pop().key
            joined = key if key != "," else joined or key
        if draft.verb is None:
            if draft.before or draft.lead:
                return False
        else:
            self._done.append(draft)
        opening = part.key
        if joined in {"and", "but"} and draft.opening:
            return False
        self._draft = Draft(opening, joined, focused=focused)
        return True

    def _relative(self, place: int, part: Part) -> bool:
        draft = self._draft
        held = draft.after if draft.verb is not None else draft.before
        apart = bool(held) and held[-1].kind == "join"
        if apart and held[-1].key != ",":
            return False
        if apart:
            held.pop()
        if part.key == "that" and draft.verb is not None and not held and not apart:
            # `means that the key is refused`.
            self._done.append(draft)
            self._draft = Draft("saying")
            return True
        if not held or held[-1].kind != "noun" or part.key not in {"that", "which", "who"}:
            return False
        # `The doctor stopped the drug, which cured the rash`: not the drug did.
        told = draft.verb is not None and part.key == "which" and draft.verb.key not in _LASTING
        if apart and (draft.verb is None or told):
            return False
        noun = Noun(held[-1].items, held[-1].key)
        if draft.verb is None:
            if self._waiting is not None or apart:
                return False
            self._waiting = draft
        else:
            self._done.append(draft)
        self._draft = Draft("which" if apart else "that", about=noun)
        return True

    def _verb(self, part: Part) -> bool:
        draft = self._draft
        if draft.verb is None:
            draft.verb = part
            return True
        joins = [at for at, one in enumerate(draft.after) if one.kind == "join"]
        if not joins:
            if draft.opening != "that" or self._waiting is None or not part.finite:
                return False
            self._done.append(draft)
            self._draft, self._waiting = self._waiting, None
            self._draft.verb = part
            return True
        at = joins[-1]
        own = draft.after[at + 1 :]
        keys = [one.key for one in draft.after[max(0, at - 1) : at + 1] if one.kind == "join"]
        del draft.after[at:]
        while draft.after and draft.after[-1].kind == "join":
            draft.after.pop()
        self._done.append(draft)
        self._draft = Draft(self._opening_after(draft, part, keys), keys[-1], before=own)
        self._draft.verb = part
        return True

    def _opening_after(self, draft: Draft, verb: Part, joins: list[str]) -> str:
        """Whether a clause after `and` still belongs to the `if` or `to` before it."""
        if not draft.opening or set(joins) & STOPS or joins[-1] == ",":
            return ""
        if draft.opening == "which" or (verb.finite and not self._is_finite(draft)):
            return ""
        return draft.opening

    def _is_finite(self, draft: Draft) -> bool:
        return draft.verb is not None and draft.verb.finite
