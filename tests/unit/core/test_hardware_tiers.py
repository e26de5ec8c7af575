"""Which documents a reader of a tier may see, however they write their own tier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.core.hardware_tiers import integers_in, is_within_tier, tier_filter
from sourcebook.core.metadata import JsonValue
from tests.fuzz.profile import trying

FIELD = "hardware_tier"
WRITTEN: st.SearchStrategy[JsonValue] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 9),
        st.floats(-2, 9),
        st.sampled_from(["", "1", "4", "Tier 3", "tier 2", "tier-4", "T3+", "high", "0003"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["least", "2", "4"]), inner, max_size=2),
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("written", "tier"),
    [
        (1, 1),
        ("4", 4),
        ("Tier 3", 3),
        ("tier-2", 2),
        ([1, 4], 4),
        ({"least": 1, "most": 3}, 3),
        (3.5, 3),
        (True, 1),
        (None, 1),
        ("high", 1),
        (5, 5),
    ],
)
def test_a_reader_sees_what_is_not_above_their_tier(written: JsonValue, tier: int) -> None:
    seen = [reader for reader in range(1, 6) if is_within_tier({FIELD: written}, FIELD, reader)]

    assert seen == list(range(tier, 6))


def test_what_names_no_tier_is_for_everybody() -> None:
    assert is_within_tier({}, FIELD, 1)
    assert tier_filter(FIELD, 1).matches({})


@trying(short=500, long=30_000)
@given(WRITTEN, st.integers(1, 4))
def test_a_filter_hides_every_number_above_the_tier(written: JsonValue, tier: int) -> None:
    about = {FIELD: written}
    plain = isinstance(written, int) and not isinstance(written, bool)

    seen = tier_filter(FIELD, tier).matches(about) and is_within_tier(about, FIELD, tier)

    assert not (seen and any(number > tier for number in integers_in(written)))
    assert not plain or tier_filter(FIELD, tier).matches(about) == is_within_tier(
        about, FIELD, tier
    )
