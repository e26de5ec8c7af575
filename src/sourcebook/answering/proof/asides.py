"""Takes asides out of a sentence: `, a clockmaker from Graz,` and `, built in 1743,`."""

from collections.abc import Sequence

from sourcebook.answering.proof.arguments import Arguments
from sourcebook.answering.proof.frames import Frame, Noun, Phrase
from sourcebook.answering.proof.phrases import Part
from sourcebook.answering.proof.scope import DOUBTED, EXCEPTED

_RULING = frozenset({"!", "can", "may", "must", "should", "beallowed"})


def without_asides(parts: Sequence[Part]) -> tuple[list[Part], list[Frame]]:
    """The parts without `, a clockmaker from Graz,`, and what that says by itself."""
    past = any(part.kind == "verb" and part.past for part in parts)
    kept: list[Part] = []
    asides: list[Frame] = []
    place = 0
    while place < len(parts):
        end = _aside_end(parts, place)
        if end is None:
            kept.append(parts[place])
            place += 1
            continue
        inside = Arguments(parts[place + 1 : end])
        about = Noun(parts[place - 1].items, parts[place - 1].key)
        first = inside.nouns[0]
        if first.items[0][0].form == "ed" and not first.items[0][0].opens:
            rest = Noun((first.items[0][1:],)) if first.items[0][1:] else None
            phrases = [*inside.phrases, *([Phrase("", rest)] if rest else [])]
            phrases += [Phrase("", one) for one in inside.nouns[1:]]
            asides.append(_aside(first.items[0][0].key, about, phrases, inside.signs))
        else:
            said = Frame("be", about, first, tuple(inside.phrases), (), inside.signs, past)
            asides.append(said)
        place = end + (end < len(parts))
    return kept, asides


def _aside(verb: str, about: Noun, phrases: list[Phrase], signs: frozenset[str]) -> Frame:
    agents = [one.noun for one in phrases if one.name == "by"]
    rest = tuple(one for one in phrases if one.name != "by")
    return Frame(verb, agents[0] if agents else None, about, rest, (), signs, past=True)


def _aside_end(parts: Sequence[Part], place: int) -> int | None:
    """Where an aside ends that begins with a comma at `place`; None if none does."""
    if not place or parts[place].kind != "join" or parts[place].key != ",":
        return None
    if parts[place - 1].kind != "noun" or place + 1 >= len(parts):
        return None
    first = parts[place + 1]
    taken_back = first.kind == "noun" and any(one.key in DOUBTED for one in first.items[0])
    if first.kind != "noun" or len(first.items) > 1 or taken_back:
        return None
    head = first.items[0][0]
    named = all(token.written[:1].isupper() for token in first.items[0])
    described = head.opens or head.form == "ed" or named
    end = place + 1
    while end < len(parts) and parts[end].kind in {"noun", "preposition"}:
        end += 1
    inside = Arguments(parts[place + 1 : end])
    nouns = len(inside.nouns)
    if not described or not inside.readable or (head.opens and nouns != 1):
        return None
    if end == len(parts):
        # `Guests may carry one bag, a small one.`
        ruled = any(part.kind == "verb" and part.signs & _RULING for part in parts)
        # `The rope holds 200 kg, doubled.` `The pool opens daily, the winter aside.`
        limiting = (head.form == "ed" and not head.opens) or first.items[0][-1].key in EXCEPTED
        return None if ruled or limiting else end
    closes = parts[end].kind == "join" and parts[end].key == ","
    goes_on = end + 1 < len(parts) and parts[end + 1].kind == "verb"
    excepted = first.items[0][-1].key in EXCEPTED
    told = not excepted and (head.opens or named or (goes_on and _is_certain(parts, place, end)))
    return end if closes and goes_on and told else None


def _is_certain(parts: Sequence[Part], place: int, end: int) -> bool:
    """Not `bags, closed with a strap, may be left`: it may be a condition."""
    noun = parts[place - 1].items[-1]
    known = noun[0].definite or noun[-1].written[:1].isupper() or noun[-1].kind == "code"
    inside = [token for part in parts[place:end] for item in part.items for token in item]
    dated = any(one.kind == "figure" and one.key[1:5].isdecimal() for one in inside)
    dated |= any(one.key.startswith("@") for one in inside)
    return known and (dated or parts[end + 1].past)
