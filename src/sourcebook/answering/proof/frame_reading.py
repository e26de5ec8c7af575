"""Reads the frames of a sentence."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sourcebook.answering.proof.arguments import Arguments, is_figure, is_time, names_agent
from sourcebook.answering.proof.asides import without_asides
from sourcebook.answering.proof.drafts import STOPS, Draft, Grouping
from sourcebook.answering.proof.frames import Frame, Noun, Phrase
from sourcebook.answering.proof.phrases import read_parts
from sourcebook.answering.proof.tokens import Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import HEDGES

# What these open belongs to the clause right before it.
_UNGOVERNING = frozenset({"because", "so that", "although", "to", "by"})
_ORDERING = frozenset({"!", "can", "must", "may", "should", "beallowed"})
_REACHING = word_keys(HEDGES) | {"not", "never"}
_YOU = Noun(((Token("you"),),))
_DOUBTFUL = frozenset({"or", "nor", "(", ")", "[", "]", "?", "|", "…"})


@lru_cache(maxsize=8_192)
def read_frames(tokens: Tokens) -> tuple[Frame, ...]:
    """What a sentence asserts, one frame for each main clause; none if it cannot be read."""
    parts = read_parts(tokens)
    if parts is None or any(part.kind == "join" and part.key in _DOUBTFUL for part in parts):
        return ()
    plain, asides = without_asides(parts)
    drafts = Grouping(plain).drafts()
    frames = _Assembly().frames(drafts) if drafts else None
    return (*frames, *asides) if frames else ()


class _Assembly:
    """Puts the clauses of a sentence together: what `if` opens with what it governs."""

    def __init__(self) -> None:
        self._done: list[Frame] = []
        self._mains: list[tuple[Draft, Frame]] = []
        self._leading: list[tuple[str, Frame]] = []
        self._lead: list[Phrase] = []
        self._subject: Noun | None = None

    def frames(self, drafts: Sequence[Draft]) -> list[Frame] | None:
        """All main clauses; None if one cannot be read: what it says of the others is not known."""
        if not all(map(self._take, drafts)) or (self._leading and not self._mains):
            return None
        if drafts[-1].join == "," and not any(one.opening for one in drafts[-2:]):
            # A comma alone joins no clause: `Fires are allowed, in the stone rings.`
            return None
        return [*self._done, *(frame for _, frame in self._mains)]

    def _take(self, draft: Draft) -> bool:
        shared = draft.about if draft.opening == "which" else _shared_subject(draft, self._subject)
        frame = _core(draft, shared)
        if frame is None:
            return False
        if draft.opening == "which":
            self._mains.append((draft, replace(frame, apart=True)))
            return draft.about is not None and not is_time(draft.about)
        if draft.opening:
            if self._mains and draft.join in {"and", "but"}:
                # `A, and if B, C`: it governs what follows.
                self._close()
            self._attach((_opening(draft), frame))
            return True
        return self._add_main(draft, frame)

    def _close(self) -> None:
        self._done += [held for _, held in self._mains]
        self._mains, self._leading, self._lead = [], [], []

    def _attach(self, named: tuple[str, Frame]) -> None:
        if self._mains:
            self._mains = _attached(self._mains, named)
        else:
            self._leading.append(named)

    def _after_stop(self, draft: Draft, frame: Frame, own: list[Phrase]) -> Frame:
        """With what may go on behind `;` or `:`, so that it is not said without."""
        if draft.join == ":":
            # `The lamp blinks: the tank is empty.`
            return replace(frame, clauses=(*frame.clauses, ("?:", self._mains[-1][1])))
        # `In August, the pool is closed; the sauna is free.`
        doubtful = [] if own else [one._replace(name=f"?{one.name}") for one in self._lead]
        return replace(frame, phrases=(*frame.phrases, *doubtful))

    def _add_main(self, draft: Draft, frame: Frame) -> bool:
        bare = not draft.before and draft.join in STOPS - {"so"} and not _is_order(draft)
        if self._mains and bare:
            # `The shop is open; closed on Mondays.`
            return False
        own = _lead(draft)
        if self._mains and draft.join in STOPS:
            frame = self._after_stop(draft, frame, own)
            self._close()
        phrases = frame.phrases if own or not self._mains else (*frame.phrases, *self._lead)
        self._lead = own or self._lead
        frame = replace(frame, phrases=phrases, clauses=(*frame.clauses, *self._leading))
        if self._mains and not draft.before and draft.verb is not None and not draft.verb.helped:
            before = self._mains[-1][1]
            if before.signs & _REACHING:
                # What `not` or `nearly` reaches is not known.
                return False
            # `must be washed and dried` orders both.
            frame = replace(frame, signs=frame.signs | (before.signs & _ORDERING))
        self._subject = _subject(draft, frame) or self._subject
        self._mains.append((draft, frame))
        return True


def _lead(draft: Draft) -> list[Phrase]:
    """What stands before the subject and holds for all that follows."""
    lead = Arguments(draft.lead)
    phrases = [*lead.phrases, *(Phrase("", noun) for noun in lead.nouns)]
    return phrases or Arguments(draft.before).early


def _is_order(draft: Draft) -> bool:
    return draft.verb is not None and "!" in draft.verb.signs


def _shared_subject(draft: Draft, subject: Noun | None) -> Noun | None:
    """Who does it if the clause does not say: the subject before, or what `that` points to."""
    if draft.opening == "that" and draft.about is not None:
        return Noun((draft.about.items[-1][-1:],))
    return None if draft.opening else subject


def _attached(
    mains: list[tuple[Draft, Frame]], named: tuple[str, Frame]
) -> list[tuple[Draft, Frame]]:
    """What follows `which` belongs to that; else to each main clause it may govern."""
    last = mains[-1][0]
    # Whether `A and B if C` says `A if C` is not known.
    doubtful = (f"?{named[0]}", named[1])
    governs = named[0] not in _UNGOVERNING
    return [
        (draft, frame)
        if (last.opening == "which" or not governs) and draft is not last
        else (
            draft,
            replace(frame, clauses=(*frame.clauses, named if draft is last else doubtful)),
        )
        for draft, frame in mains
    ]


def _opening(draft: Draft) -> str:
    if draft.opening == "that" and draft.about is not None:
        return f"that {draft.about.items[-1][-1].key}"
    return f"only {draft.opening}" if draft.focused else draft.opening


def _subject(draft: Draft, frame: Frame) -> Noun | None:
    return frame.patient if draft.verb is not None and draft.verb.passive else frame.agent


def _core(draft: Draft, shared: Noun | None) -> Frame | None:
    """Who does what in one clause; None if it has more nouns than places for them."""
    before, after, lead = map(Arguments, (draft.before, draft.after, draft.lead))
    sides = (before, after, lead)
    if draft.verb is None or not all(side.readable for side in sides):
        return None
    nouns = [one for one in before.nouns if not is_time(one)]
    # `Below -15 °C an electric heater takes over`, `seeds planted 40 cm apart are`.
    figures = [one for one in nouns if is_figure(one)] if len(nouns) > 1 else []
    nouns = [one for one in nouns if one not in figures]
    times = [one for side in sides for one in side.nouns if is_time(one)]
    denied = "not" in before.signs | lead.signs or "not" in draft.verb.signs & after.signs
    if len(nouns) > 1 or any(not is_time(one) for one in lead.nouns) or denied:
        # `Not all are red` does not say that all are not red.
        return None
    late = [one._replace(late=True) for one in after.phrases]
    bare = [Phrase("", one) for one in (*figures, *times)]
    signs = draft.verb.signs | before.signs | after.late_signs | lead.signs
    phrases = (*before.phrases, *late, *lead.phrases, *bare)
    frame = Frame(draft.verb.key, phrases=phrases, signs=signs, past=draft.verb.past)
    subject = nouns[0] if nouns else shared
    objects = [one for one in after.nouns if not is_time(one)]
    if draft.verb.passive:
        return _passive(frame, subject, objects)
    if draft.about is not None and not objects and nouns:
        # `a token, which you create`.
        objects = [draft.about]
    return _active(frame, subject, objects)


def _passive(frame: Frame, subject: Noun | None, objects: list[Noun]) -> Frame | None:
    agents = [one.noun for one in frame.phrases if one.late and names_agent(one)]
    if len(agents) > 1:
        return None
    phrases = [one for one in frame.phrases if not (one.late and names_agent(one))]
    phrases += [Phrase("", one) for one in objects]
    agent = agents[0] if agents else None
    done = replace(frame, agent=agent, patient=subject, phrases=tuple(phrases))
    return _focused(done, passive=True)


def _active(frame: Frame, subject: Noun | None, objects: list[Noun]) -> Frame:
    further = tuple(Phrase("", one) for one in objects[1:])
    patient = objects[0] if objects else None
    if subject is None and frame.signs & _ORDERING:
        # `You must pay` and `Pay` have lost whom they tell to.
        subject = _YOU
    doing = replace(frame, agent=subject, patient=patient, phrases=(*frame.phrases, *further))
    return _focused(doing, passive=False)


def _focused(frame: Frame, *, passive: bool) -> Frame:
    """With what `only` restricts: `can only be added by X` restricts who does it."""
    signs = set(frame.signs)
    if "only noun" in signs:
        # Before the subject; an object is read below.
        signs.discard("only noun")
        signs.add("only patient" if passive else "only agent")
    if "only after" in signs:
        signs.discard("only after")
        signs.add("only patient")
    if "only" in signs and passive and frame.agent is not None:
        signs.discard("only")
        signs.add("only agent")
    elif "only" in signs and len(frame.phrases) == 1 and (passive or frame.patient is None):
        signs.discard("only")
        signs.add(f"only {frame.phrases[0].name}")
    return replace(frame, signs=frozenset(signs))
