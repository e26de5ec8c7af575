"""Payload keys never meet by accident, and references come back as they were."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import PointRef
from sourcebook.providers.vector_stores.payload import (
    FLAG,
    KEYS_KEY,
    LISTED_NUMBER,
    NUMBER,
    REF_KEYS,
    TEXT,
    Kind,
    payload,
    payload_key,
    point_ref,
)
from sourcebook.testing.filter_examples import FIELDS, metadata, texts

REF = PointRef("id", "chunk", "document", "v1", "digest")
OUR_KEYS = {*REF_KEYS, KEYS_KEY}
KINDS = (TEXT, FLAG, NUMBER, LISTED_NUMBER)


def test_every_field_and_kind_has_a_key_of_its_own() -> None:
    keys = [payload_key(kind, field) for kind in KINDS for field in FIELDS]
    assert len({*keys, *OUR_KEYS}) == len(keys) + len(OUR_KEYS)


@settings(deadline=None)
@given(texts(), texts(), st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_keys_are_equal_only_for_equal_fields(one: str, other: str, k1: Kind, k2: Kind) -> None:
    same = payload_key(k1, one) == payload_key(k2, other)
    assert same == ((k1, one) == (k2, other))


def test_plain_names_stay_readable_and_odd_ones_become_hex() -> None:
    assert payload_key(TEXT, "module-id_2") == "s_module-id_2"
    assert payload_key(NUMBER, "a.b") == "n__x612e62"


def test_each_type_goes_to_the_key_of_its_kind() -> None:
    fields: Metadata = {"t": "x", "b": True, "n": 2, "l": ["x", 1, False, None], "o": {"k": 1}}
    stored = {key: v for key, v in payload(REF, fields).items() if key not in OUR_KEYS}
    assert stored == {
        "s_t": "x",
        "b_b": "true",
        "n_n": 2.0,
        "s_l": ["x"],
        "m_l": [1.0],
        "b_l": ["false"],
    }


def test_a_point_lists_the_keys_of_its_metadata() -> None:
    assert payload(REF, {"tier": 1, "tags": ["x", 2]})[KEYS_KEY] == ["n_tier", "s_tags", "m_tags"]


def test_nulls_objects_and_empty_lists_leave_no_trace() -> None:
    assert payload(REF, {"a": None, "b": {}, "c": [], "d": [None]}).keys() == OUR_KEYS


@settings(deadline=None)
@given(metadata())
def test_metadata_cannot_change_the_reference(fields: Metadata) -> None:
    assert point_ref(REF.id, payload(REF, fields)) == REF
