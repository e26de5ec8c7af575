"""Hardware tiers: the integers that a value names, and what readers of a tier may see."""

import math
import re
from collections.abc import Iterator

from sourcebook.core.filters import AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.metadata import Metadata

MIN_TIER, MAX_TIER = 1, 4

_NUMBER = re.compile(r"(\d++)(?:\.\d++)?+")


def tier_filter(field: str, tier: int) -> Filter:
    """Match what names no tier in the field, or none above this one.

    No filter can read a number out of any text; `is_within_tier` can.
    """
    higher = range(tier + 1, MAX_TIER + 1)
    written = [form.format(number) for number in higher for form in ("{}", "Tier {}", "tier {}")]
    return Not(AnyOf((Compare(field, "gt", tier), OneOf(field, (*higher, *written)))))


def is_within_tier(metadata: Metadata, field: str, tier: int) -> bool:
    """Return whether the largest integer anywhere in the field is not above the tier."""
    return max(integers_in(metadata.get(field)), default=MIN_TIER) <= tier


def integers_in(value: object) -> Iterator[int]:
    """Yield the integers in numbers, texts, lists and mappings; 3.5 is 3, booleans are none."""
    for part in scalars_in(value):
        if isinstance(part, bool) or part is None:
            continue
        if isinstance(part, int):
            yield part
        elif isinstance(part, float):
            if math.isfinite(part):
                yield int(part)
        else:
            # Four digits are enough, and a million of them would take long to parse.
            for number in _NUMBER.finditer(str(part)):
                yield int(number[1].lstrip("0")[:4] or "0")


def scalars_in(value: object) -> Iterator[object]:
    """Yield everything in a value that is no list or mapping; also the keys of mappings."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [part for pair in one.items() for part in pair]
        elif isinstance(one, list | tuple | set):
            waiting += one
        else:
            yield one
