"""Maps ingestion jobs and previews to the schemas of the book contract."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import get_args

from sourcebook.core.book_source import FileProblem
from sourcebook.core.jobs import IngestJob, IngestMode
from sourcebook.core.self_tests import Probe, ProbeState, SelfTestReport
from sourcebook.core.text import shorten
from sourcebook.ingestion.book.run import Example, Preview
from sourcebook.ingestion.job_runner import LEASE_S
from sourcebook.ingestion.upkeep.verifier import Findings
from sourcebook.surfaces.book.ingestion_schemas import (
    ChangesOut,
    ExampleOut,
    FileProblemOut,
    FindingsOut,
    JobOut,
    LostProbeOut,
    OrderedOut,
    SelfTestOut,
    VerificationOut,
)
from sourcebook.surfaces.schema_types import utc_time

MIN_SHARE_FOR_ETA = 0.05
MAX_EXAMPLE_CHARS = 2_000


def ordered_out(job: IngestJob) -> OrderedOut:
    return OrderedOut(job_id=job.id, status=job.status)


def job_out(job: IngestJob, now_s: float) -> JobOut:
    return JobOut(
        job_id=job.id,
        book_id=job.request.book_id,
        mode=job.request.mode,
        status=job.status,
        trigger=job.request.trigger,
        attempts=job.attempts,
        cancel_requested=job.cancel_requested,
        **asdict(job.progress),
        eta_seconds=_eta_s(job, now_s),
        queued_at=utc_time(job.created_at_s),
        started_at=utc_time(job.started_at_s),
        completed_at=utc_time(job.finished_at_s),
        duration_seconds=_duration_s(job),
        commit=job.commit,
        error_message=job.error,
        warnings=_problems(job.warnings),
        self_test=None if job.self_test is None else self_test_out(job.self_test),
    )


def self_test_out(report: SelfTestReport) -> SelfTestOut:
    counts = report.counts
    return SelfTestOut(
        tested_at=utc_time(report.check.at_s),
        commit=report.check.commit,
        probes=sum(counts.values()),
        **{state: counts.get(state, 0) for state in get_args(ProbeState)},
        note=report.note,
        newly_lost=_lost_out(report.newly_lost),
        still_lost=_lost_out(report.still_lost),
    )


def changes_out(preview: Preview, mode: IngestMode) -> ChangesOut:
    """Map what a run in that mode would do."""
    changes = preview.changes
    work = len(changes.new) + len(changes.modified)
    return ChangesOut(
        new=[file.path for file in changes.new],
        modified=[file.path for file in changes.modified],
        deleted=[str(header.metadata.get("source_file")) for header in changes.deleted],
        unchanged=len(changes.unchanged),
        unreadable=sorted(changes.unreadable),
        warnings=_problems(preview.found.problems),
        warning_count=len(preview.found.problems) + preview.found.unnamed,
        files_unmatched=preview.found.unmatched,
        other_files=dict(preview.found.listing.other_files),
        lost=changes.lost,
        would_process=work if mode == "incremental" else work + len(changes.unchanged),
        would_refuse=changes.alarming,
        example=None if preview.example is None else _example_out(preview.example),
    )


def verification_out(found: Sequence[Findings]) -> VerificationOut:
    collections = [_findings_out(findings) for findings in found]
    return VerificationOut(clean=all(each.clean for each in collections), collections=collections)


def _findings_out(found: Findings) -> FindingsOut:
    return FindingsOut(
        collection=found.collection,
        clean=found.clean,
        chunks=found.chunks,
        missing=list(found.missing),
        orphaned=list(found.orphaned),
        stale=list(found.stale),
        broken=list(found.broken),
        outdated=list(found.outdated),
        awaiting=found.awaiting,
    )


def _example_out(example: Example) -> ExampleOut:
    text = shorten(example.text, MAX_EXAMPLE_CHARS)
    return ExampleOut(path=example.path, source_url=example.url, text=text)


def _duration_s(job: IngestJob) -> float | None:
    if job.started_at_s is None or job.finished_at_s is None:
        return None
    return round(max(0.0, job.finished_at_s - job.started_at_s), 3)


def _eta_s(job: IngestJob, now_s: float) -> float | None:
    done, left = job.progress.files_processed, job.progress.files_left
    if job.status != "running" or job.started_at_s is None or not (done and left):
        return None
    if done < MIN_SHARE_FOR_ETA * (done + left):
        return None  # several files are in progress, and the first one done says little
    if job.lease_until_s is not None and job.lease_until_s <= now_s:
        return None  # nobody works at it now
    # The progress is as old as the last heartbeat; since then the time left has gone down.
    beat_s = now_s if job.lease_until_s is None else min(now_s, job.lease_until_s - LEASE_S)
    elapsed_s = max(0.0, beat_s - job.started_at_s)
    left_s = left * elapsed_s / done - (now_s - beat_s)
    return round(max(0.0, left_s), 1)


def _lost_out(probes: Iterable[Probe]) -> list[LostProbeOut]:
    return [
        LostProbeOut(
            question=probe.question,
            path=probe.path,
            parent_doc_id=probe.document_id,
            found_at=utc_time(probe.found.at_s),
            found_commit=probe.found.commit,
            lost_at=utc_time(probe.missed.at_s),
            lost_commit=probe.missed.commit,
        )
        for probe in probes
        if probe.found is not None and probe.missed is not None
    ]


def _problems(problems: Iterable[FileProblem]) -> list[FileProblemOut]:
    return [FileProblemOut(path=problem.path, message=problem.message) for problem in problems]
