"""The nouns, phrases and adverbs on one side of a verb."""

from collections.abc import Sequence

from sourcebook.answering.proof.frames import Noun, Phrase
from sourcebook.answering.proof.phrases import Part
from sourcebook.answering.proof.scope import TIME_NOUNS, names_time_or_spot
from sourcebook.answering.proof.word_classes import TIME_ADVERBS


class Arguments:
    """The nouns, phrases and adverbs on one side of a verb."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.nouns: list[Noun] = []
        self.phrases: list[Phrase] = []
        self.readable = True
        # What stands before the first noun belongs to the whole sentence.
        self.early: list[Phrase] = []
        signs: set[str] = set()
        place = 0
        about = ""
        while place < len(parts):
            part = parts[place]
            after = parts[place + 1] if place + 1 < len(parts) else None
            if part.kind == "preposition" and after is not None and after.kind == "noun":
                phrase = Phrase(part.key, Noun(after.items, after.key), about=about)
                self.phrases.append(phrase)
                if not self.nouns:
                    self.early.append(phrase)
                # `by a motor with a filter` may describe the motor.
                about = after.items[-1][-1].key if part.key == "by" else ""
                place += 1
            elif part.kind == "noun":
                self.nouns.append(Noun(part.items, part.key))
                about = part.items[-1][-1].key
            elif part.kind == "adverb":
                sign = _sign(part.key, after)
                self.readable &= sign not in signs
                signs.add(sign)
            elif part.kind == "join" and part.key == "," and after is not None:
                # A phrase set off by a comma is as good as any other; a noun is not.
                self.readable &= after.kind == "preposition"
            else:
                self.readable = False
            place += 1
        self.signs = frozenset(signs)

    @property
    def late_signs(self) -> frozenset[str]:
        """The signs after a verb, where `only` before a noun restricts the object."""
        return frozenset("only after" if one == "only noun" else one for one in self.signs)


def _sign(key: str, after: Part | None) -> str:
    """`only` with what it stands before, other adverbs as they are."""
    if key != "only" or after is None:
        return key
    return f"only {after.key}" if after.kind == "preposition" else f"only {after.kind}"


def names_agent(phrase: Phrase) -> bool:
    """`by X`, unless it tells when or where: `by Friday`, `by 2030`, `by the door`."""
    if phrase.name != "by":
        return False
    return not any(
        item[-1].kind == "figure" or names_time_or_spot(item) for item in phrase.noun.items
    )


def is_figure(noun: Noun) -> bool:
    return len(noun.items) == 1 and len(noun.items[0]) == 1 and noun.items[0][0].kind == "figure"


def is_time(noun: Noun) -> bool:
    first = noun.items[0][0]
    if first.key in TIME_ADVERBS or first.key in {"today", "once"}:
        return True
    if first.key == "every":
        return any(one.kind == "figure" or one.key in TIME_NOUNS for one in noun.items[0][1:])
    if first.kind != "figure" or len(noun.items) > 1:
        return False
    alone = len(noun.items[0]) == 1
    return (alone and first.key.endswith(("time", "month"))) or noun.items[0][-1].key == "time"
