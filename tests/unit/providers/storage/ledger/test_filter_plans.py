"""How both databases look documents up by their metadata: never all values for each document.

Read from their plans, in a collection that they have no statistics on yet.
"""

import pytest

from sourcebook.core.filters import EVERYTHING, AllOf, AnyOf, Compare, Filter, Not, OneOf
from sourcebook.core.ports import Ledger
from sourcebook.core.writes import DocumentVersion
from tests.contract.ledger_values import new_collection, put, version_of
from tests.unit.providers.storage.ledger.conftest import PlansOf

COUNT = 300
EVEN, LATE = OneOf("even", (True,)), Compare("number", "gt", 100)
FILTERS = (EVEN, LATE, Not(EVEN), AllOf((EVEN, LATE)), AnyOf((Not(EVEN), LATE)))


async def _filled(ledger: Ledger) -> str:
    collection = new_collection()
    await ledger.collections.create(collection)
    await put(ledger, collection, *map(_document, range(COUNT)))
    return collection.id


def _document(n: int) -> DocumentVersion:
    return version_of(f"d{n}", metadata={"even": n % 2 == 0, "number": n, "name": f"n{n}"})


@pytest.mark.parametrize("filter_", FILTERS, ids=str)
async def test_what_matches_is_found_once_and_looked_up_by_its_keys(
    ledger: Ledger, plans_of: PlansOf, filter_: Filter
) -> None:
    collection_id = await _filled(ledger)
    await ledger.documents.headers(collection_id, filter_)

    plans = plans_of("document_fields")
    by_key = ("pk_documents", "documents USING INTEGER PRIMARY KEY")
    assert any(name in line for name in by_key for line in plans), plans
    for again in ("Join Filter", "SubPlan", "CORRELATED"):
        assert not [line for line in plans if again in line], plans


async def test_the_field_that_orders_is_looked_up_by_its_document(
    ledger: Ledger, plans_of: PlansOf
) -> None:
    collection_id = await _filled(ledger)
    await ledger.documents.headers_by(collection_id, EVERYTHING, "name", 10, 0)

    plans = plans_of("document_fields")
    looked_up = [line for line in plans if "document_fields" in line]
    assert looked_up
    assert all("ix_document_fields_document_key" in line for line in looked_up), plans
