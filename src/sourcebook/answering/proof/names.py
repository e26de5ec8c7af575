"""Gives people and things the full names that a passage calls them by elsewhere."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sourcebook.answering.proof.clauses import ORDER, is_plain
from sourcebook.answering.proof.figures import is_month
from sourcebook.answering.proof.tokens import VERBS, Token, Tokens, word_keys
from sourcebook.answering.proof.word_classes import FIXED_WORDS

MAX_NAME_WORDS = 5
# `New Harwen` is another place than `Harwen`.
_PLACES = word_keys(
    {"north", "south", "east", "west", "new", "old", "great", "little", "upper", "lower", "saint"}
    | {"st", "mount", "lake", "low", "high", "port", "fort", "san", "cape", "isle", "greater"}
    | {"inner", "outer", "northern", "southern", "eastern", "western", "central"}
)
_PLACING = frozenset({"in", "at", "near", "to", "from", "around", "outside"})
# What is pressed or opened bears a label, and `Link` is another one than `Copy Link`.
_LABELS = word_keys(
    {"click", "press", "choose", "select", "open", "tap", "button", "menu", "tab", "key", "option"}
    | {"field", "version", "type", "class", "set", "called", "mode"}
)
# Kin, who may bear the same name.
FAMILY = word_keys(
    {"father", "brother", "son", "husband", "uncle", "nephew", "mother", "sister", "daughter"}
    | {"wife", "aunt", "niece", "grandfather", "grandmother", "grandson", "granddaughter", "widow"}
    | {"cousin", "twin", "family", "stepson", "stepdaughter", "parent", "child"}
)


class Names:
    """The names of a passage, each in full."""

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        known = [run for tokens in sentences for _, run in name_runs(tokens)]
        longest: dict[str, Tokens] = {}
        for run in known:
            if len(run) > len(longest.get(_last(run), ())):
                longest[_last(run)] = run
        unclear = {_last(run) for run in known if not _is_short_for(run, longest)}
        # Names of which not all is known by their last word: another has it too.
        self.unclear = frozenset(unclear)
        unclear |= {_last(run) for tokens in sentences for run in _labels_and_places(tokens)}
        # Whoever is of somebody's family may have the same name.
        self.tell_of_family = any(token.key in FAMILY for tokens in sentences for token in tokens)
        self._full = {
            key: run
            for key, run in longest.items()
            if not self.tell_of_family
            and 1 < len(run) <= MAX_NAME_WORDS
            and key not in unclear
            and run[0].key not in _PLACES
        }

    def in_full(self, tokens: Tokens) -> Tokens:
        """A sentence with each name as long as the passage has it."""
        if not self._full:
            return tokens
        kept: list[Token] = []
        place = 0
        for start, run in name_runs(tokens):
            full = self._full.get(_last(run))
            if full is None or len(full) <= len(run) or not _is_short_for(run, self._full):
                continue
            first, end = run[0], start + len(run)
            if first.opens != full[0].opens and end < len(tokens) and is_plain(tokens[end]):
                # `the Varnhold cell` is not Ilse Varnhold's.
                continue
            kept += tokens[place:start]
            kept.append(full[0]._replace(opens=first.opens, definite=first.definite))
            kept += full[1:]
            place = end
        return (*kept, *tokens[place:])


def _last(run: Tokens) -> str:
    """The last word of a name: `Maretta` of `Queen Maretta II`."""
    numbered = len(run) > 1 and set(run[-1].written) <= set("IVX")
    return run[-2 if numbered else -1].key


@lru_cache(maxsize=8_192)
def name_runs(tokens: Tokens) -> tuple[tuple[int, Tokens], ...]:
    """Where names stand, each with its words."""
    if not any(token.written[:1].isupper() for token in tokens):
        return ()
    return tuple(_runs(tokens))


def _runs(tokens: Tokens) -> Iterator[tuple[int, Tokens]]:
    start = 0
    while start < len(tokens):
        end = start
        while (
            end < len(tokens) and _is_name(tokens[end]) and (end == start or not tokens[end].opens)
        ):
            end += 1
        # `Today Breen lives in Staal`: its first word is written large anyway.
        first = end > start and (not start or tokens[start - 1] == ORDER)
        begin = start + (first and _is_common(tokens[start]))
        if end > begin and not _is_joined(tokens, start, end):
            yield begin, tokens[begin:end]
        start = max(end, start + 1)


def _is_joined(tokens: Tokens, start: int, end: int) -> bool:
    """`Brandt & Oyelaran` is one name."""
    return any(tokens[at].key == "&" for at in (start - 1, end) if 0 <= at < len(tokens))


def _is_name(token: Token) -> bool:
    if token.kind != "word" or not token.written[:1].isupper() or token.key in FIXED_WORDS:
        return False
    return not is_month(token.written)


def _is_common(first: Token) -> bool:
    leads = first.written.lower() in _LEADING or first.written.endswith("ly")
    return leads or (first.key in VERBS and first.form == "base")


_LEADING = frozenset(
    {"today", "later", "then", "now", "here", "there", "both", "each", "every", "all", "some"}
    | {"most", "many", "another", "other", "no", "such", "again", "two", "three", "four", "also"}
)


def _is_short_for(run: Tokens, longest: dict[str, Tokens]) -> bool:
    """Whether all words of a name are in the longest with the same last word, in order."""
    full = iter([token.key for token in longest.get(_last(run), ())])
    return all(token.key in full for token in run)


def _labels_and_places(tokens: Tokens) -> Iterator[Tokens]:
    """Names that are a place's or a label's where they stand alone."""
    for start, run in name_runs(tokens):
        before = tokens[start - 1].key if start else ""
        after = tokens[start + len(run)] if start + len(run) < len(tokens) else None
        label = before in _LABELS or (after is not None and after.key in _LABELS)
        if label or (len(run) == 1 and before in _PLACING):
            yield run
