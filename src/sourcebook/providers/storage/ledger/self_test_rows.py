"""Self-tests of books as rows, and their reports as columns of jobs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypedDict

from sqlalchemy import ColumnElement, RowMapping, and_

from sourcebook.core.self_tests import Check, Probe, ProbeCounts, SelfTest, SelfTestReport
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.sql import as_storable

# A job names so many of the newly lost probes, and of those that were lost before.
MAX_NAMED_PROBES = 50

_TEST = schema.self_tests.c


class CheckRow(TypedDict):
    """A check in JSON."""

    at_s: float
    commit: str | None


class ProbeRow(TypedDict):
    """A probe in JSON."""

    document_id: str
    path: str
    question: str
    checked: bool
    found: CheckRow | None
    missed: CheckRow | None


class ReportRow(TypedDict):
    """A report in JSON."""

    check: CheckRow
    counts: ProbeCounts
    newly_lost: Sequence[ProbeRow]
    still_lost: Sequence[ProbeRow]
    note: str | None


def is_test_of(collection: str, book_id: str) -> ColumnElement[bool]:
    return and_(_TEST.collection == collection, _TEST.book_id == book_id)


def self_test_columns(test: SelfTest) -> dict[str, object]:
    return {
        "collection": test.collection,
        "book_id": test.book_id,
        "book_state": test.book_state,
        # Its lost probes are among all of them.
        "report": report_column(replace(test.report(), newly_lost=(), still_lost=())),
        "probes": _probe_rows(test.probes),
    }


def report_column(report: SelfTestReport) -> dict[str, object]:
    return {
        "check": asdict(report.check),
        "counts": dict(report.counts),
        "newly_lost": _probe_rows(report.newly_lost[:MAX_NAMED_PROBES]),
        "still_lost": _probe_rows(report.still_lost[:MAX_NAMED_PROBES]),
        "note": None if report.note is None else as_storable(report.note),
    }


def self_test_of(row: RowMapping) -> SelfTest:
    report = report_of(row["report"])
    return SelfTest(
        collection=row["collection"],
        book_id=row["book_id"],
        book_state=row["book_state"],
        check=report.check,
        probes=_probes_of(row["probes"]),
        note=report.note,
    )


def report_of(row: ReportRow) -> SelfTestReport:
    return SelfTestReport(
        check=Check(**row["check"]),
        counts=row["counts"],
        newly_lost=_probes_of(row["newly_lost"]),
        still_lost=_probes_of(row["still_lost"]),
        note=row["note"],
    )


def _probe_rows(probes: Iterable[Probe]) -> list[Mapping[str, object]]:
    return [
        asdict(replace(one, path=as_storable(one.path), question=as_storable(one.question)))
        for one in probes
    ]


def _probes_of(rows: Iterable[ProbeRow]) -> tuple[Probe, ...]:
    return tuple(
        Probe(
            document_id=row["document_id"],
            path=row["path"],
            question=row["question"],
            checked=row["checked"],
            found=_check_of(row["found"]),
            missed=_check_of(row["missed"]),
        )
        for row in rows
    )


def _check_of(row: CheckRow | None) -> Check | None:
    return None if row is None else Check(**row)
