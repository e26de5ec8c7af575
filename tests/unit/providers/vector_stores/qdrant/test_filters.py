"""Filters and points on their way to a Qdrant server."""

import json
import math

import pytest
from hypothesis import given
from qdrant_client import models
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc

from sourcebook.core.filters import AllOf, AnyOf, Compare, Filter, Not, OneOf, Order
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import SparseVector
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.qdrant.filters import (
    Fields,
    compile_filter,
)
from sourcebook.providers.vector_stores.qdrant.points import (
    MAX_BATCH_BYTES,
    MAX_BATCH_POINTS,
    batches,
    server_points,
)
from sourcebook.testing.filter_examples import filters, metadata
from sourcebook.testing.points import point

KEYWORD, FLOAT = models.PayloadSchemaType.KEYWORD, models.PayloadSchemaType.FLOAT
INTEGER = models.PayloadSchemaType.INTEGER


@given(filters())
def test_a_filter_stays_the_same_over_grpc_and_json(filter_: Filter) -> None:
    compiled = compile_filter(filter_, Fields({"hardware_tier": INTEGER}))
    if not isinstance(compiled, bool):
        arrived = GrpcToRest.convert_filter(RestToGrpc.convert_filter(compiled))
        assert clauses(arrived) == clauses(compiled)
        json.dumps(compiled.model_dump(), allow_nan=False)


@given(metadata())
def test_a_point_stays_the_same_over_grpc(fields: Metadata) -> None:
    sparse = SparseVector((7, 2**32 - 1), (0.5, 2.0))
    [written] = server_points([point("a", metadata=fields, sparse=sparse)], 3)
    assert GrpcToRest.convert_point_struct(RestToGrpc.convert_point_struct(written)) == written


def clauses(filter_: models.Filter) -> dict[str, list[object]]:
    """What a filter asks for; one without a clause and one with an empty clause are the same."""
    return {
        name: [clauses(one) if isinstance(one, models.Filter) else one for one in some]
        for name in ("must", "should", "must_not")
        if (some := getattr(filter_, name))
    }


@pytest.mark.parametrize("order", ["lt", "lte", "gt", "gte"])
def test_bounds_that_json_cannot_say_are_left_out(order: Order) -> None:
    for bound in (math.inf, -math.inf):
        assert compile_filter(Compare("tier", order, bound), Fields({})) is True
    assert compile_filter(Compare("tier", order, math.nan), Fields({})) is False


def test_a_fraction_is_not_cut_off_before_integers_are_compared() -> None:
    compiled = compile_filter(Compare("chapter", "lt", 1.5), Fields({}))
    assert isinstance(compiled, models.Filter)
    assert isinstance(compiled.should, list)
    assert models.FieldCondition(key="chapter", range=models.Range(lt=2)) in compiled.should


def test_batches_are_neither_too_long_nor_too_large() -> None:
    small = server_points([point(n) for n in range(MAX_BATCH_POINTS + 1)], 3)
    assert [len(batch) for batch in batches(small, 3)] == [MAX_BATCH_POINTS, 1]
    half = "x" * (MAX_BATCH_BYTES // 2)
    large = server_points([point(n, metadata={"body": half}) for n in range(3)], 3)
    assert [len(batch) for batch in batches(large, 3)] == [1, 1, 1]
    assert list(batches([], 3)) == []


TEXT, NUMBER = OneOf("module", ("intro",)), OneOf("tier", (1,))
BELOW = Compare("tier", "lt", 2)


@pytest.mark.parametrize(
    ("filter_", "indexes", "strict", "certain"),
    [
        (TEXT, {}, False, True),
        (TEXT, {"module": KEYWORD}, True, True),
        (TEXT, {}, True, False),
        (TEXT, {"module": models.PayloadSchemaType.UUID}, False, False),
        (NUMBER, {"tier": FLOAT}, True, True),
        # An index of integers does not know 1.0.
        (NUMBER, {"tier": models.PayloadSchemaType.INTEGER}, False, False),
        (OneOf("source_url", ("u",)), {"metadata.source": KEYWORD}, True, True),
        # Where titles are was not said, and may differ from point to point.
        (OneOf("page_title", ("t",)), {}, False, False),
        (OneOf("body", ("t",)), {}, False, False),
        (OneOf("odd name", ("t",)), {}, False, False),
        (OneOf("tier", (2**53,)), {}, False, False),
        (Not(TEXT), {}, False, True),
        (Not(NUMBER), {}, False, True),
        # It would leave out a list with a number that is below.
        (Not(BELOW), {}, False, False),
        (Not(OneOf("source_url", ("u",))), {}, False, False),
        (AllOf((TEXT, Not(BELOW))), {}, False, True),
        (AnyOf((TEXT, Not(BELOW))), {}, False, False),
    ],
)
def test_only_what_is_certain_to_mean_the_same_is_left_to_qdrant(
    filter_: Filter,
    indexes: dict[str, models.PayloadSchemaType],
    strict: bool,
    certain: bool,
) -> None:
    mapping = FieldMapping(text="body", source_url="metadata.source")
    compiled = compile_filter(filter_, Fields(indexes, only_indexed=strict, mapping=mapping))
    assert (compiled is not True) == certain
