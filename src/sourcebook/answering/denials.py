"""What a sentence denies: the words that stand behind a `not`, a `never` or a `without`."""

from collections.abc import Sequence

from sourcebook.answering.words import Word

# A denial rarely reaches further: "does not copy the incoming message" denies all three.
REACH = 3
# "Not only A but also B" denies nothing.
_TAKEN_BACK = frozenset({"only", "just", "mere"})


def denied(words: Sequence[Word]) -> tuple[tuple[str, ...], ...]:
    """For each denial, the stems of the content words it reaches."""
    found = []
    for place, word in enumerate(words):
        if word.kind != "denial":
            continue
        behind = words[place + 1 :]
        if behind and behind[0].stem in _TAKEN_BACK:
            continue
        reached = tuple(one.stem for one in behind if one.kind == "content")[:REACH]
        if reached:
            found.append(reached)
    return tuple(found)


def contradicts(claim: Sequence[Word], evidence: Sequence[Word]) -> bool:
    """Tell whether one of two sentences denies what the other one says."""
    if _content(claim) == _content(evidence):
        # The same sentence but for its small words: then each denial must be there too.
        return _count(claim) != _count(evidence)
    in_claim, in_evidence = denied(claim), denied(evidence)
    claimed = {word.stem for word in claim}
    denied_there = {stem for reached in in_evidence for stem in reached}
    denied_here = {stem for reached in in_claim for stem in reached}
    if any(denied_there.isdisjoint(reached) for reached in in_claim):
        return True
    return any(
        claimed.issuperset(reached[:2]) and denied_here.isdisjoint(reached)
        for reached in in_evidence
    )


def _content(words: Sequence[Word]) -> set[str]:
    return {word.stem for word in words if word.kind == "content"}


def _count(words: Sequence[Word]) -> int:
    return sum(word.kind == "denial" for word in words)
