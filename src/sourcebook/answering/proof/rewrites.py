"""Says a sentence in all the other ways that mean the same."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias

from sourcebook.answering.proof import recasting, voice, word_order
from sourcebook.answering.proof.tokens import Tokens

Rule: TypeAlias = Callable[[Tokens], Iterator[Tokens]]

# So many ways to say one sentence are tried; most have fewer than ten.
MAX_READINGS = 40
_RULES: tuple[Rule, ...] = (
    word_order.leading_phrase_last,
    word_order.bare_leading_phrase_last,
    word_order.leading_bound_last,
    word_order.result_as_reason,
    word_order.restriction_last,
    word_order.inserted_phrase_last,
    voice.active,
    voice.order_for_passive,
    recasting.measure,
    recasting.owner_first,
    recasting.size_first,
    recasting.exceeding,
    word_order.adverb_after_verb,
    word_order.receiver_last,
    recasting.converse,
    voice.means_first,
    voice.way_open,
    voice.means_of_passive,
    voice.passive_for_us,
    word_order.now_last,
    recasting.place_first,
    recasting.condition_as_relative,
    recasting.participle_as_relative,
    word_order.particle_first,
    word_order.only_after_verb,
    recasting.identity,
    recasting.default_last,
    voice.tool_last,
    word_order.items_sorted,
    word_order.neighbouring_phrases_swapped,
)


@lru_cache(maxsize=8_192)
def readings(tokens: Tokens) -> tuple[Tokens, ...]:
    """The sentence itself first, then what the rules make of it, each once."""
    found = {tokens: None}
    queue = list(found)
    while queue and len(found) < MAX_READINGS:
        current = queue.pop(0)
        for rule in _RULES:
            for other in rule(current):
                if other not in found and len(found) < MAX_READINGS:
                    found[other] = None
                    queue.append(other)
    return tuple(found)


_MEASURES = (recasting.measure, recasting.size_first, recasting.exceeding, recasting.default_last)


@lru_cache(maxsize=8_192)
def evidence_readings(tokens: Tokens) -> tuple[Tokens, ...]:
    """The sentence, and what it says with measures and comparisons put another way."""
    found = {tokens: None}
    for rule in _MEASURES:
        found |= dict.fromkeys(rule(tokens))
    return tuple(found)
