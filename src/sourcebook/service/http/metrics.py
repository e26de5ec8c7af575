"""Prometheus metrics, with one registry per app.

Labels hold words from fixed lists, route templates and the ids of configured models: never a name
or a text that a client chose.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from sourcebook.core.answers import SentenceCounts
from sourcebook.core.jobs import UNFINISHED, JobKind, JobStatus
from sourcebook.core.meters import AnswerOutcome, AnswerStage, AnswerSurface, SearchStage
from sourcebook.core.self_tests import ProbeCounts, ProbeState
from sourcebook.core.statistics import JobCounts, QueueLength, ServiceStatistics
from sourcebook.core.version import installed_version

# The last are for answers of a slow language model.
BUCKETS_S = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0),
)
# From a book that has not changed to one of thousands of pages.
JOB_BUCKETS_S = (0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0)


class Metrics:
    """Counts requests, answers, searches and jobs, and measures their duration."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "sourcebook_requests_total",
            "HTTP requests",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "sourcebook_request_seconds",
            "Time to answer HTTP requests",
            ("method", "route"),
            buckets=BUCKETS_S,
            registry=registry,
        )
        self._answers = Counter(
            "sourcebook_answers_total",
            "Answers by how they ended",
            ("surface", "outcome"),
            registry=registry,
        )
        self._answer_seconds = Histogram(
            "sourcebook_answer_seconds",
            "Time of answers, by stage",
            ("surface", "stage"),
            buckets=BUCKETS_S,
            registry=registry,
        )
        self._sentences = Counter(
            "sourcebook_answer_sentences_total",
            "Sentences that were written for answers, by what became of them",
            ("outcome",),
            registry=registry,
        )
        self._search_seconds = Histogram(
            "sourcebook_search_seconds",
            "Time to search one collection, by stage",
            ("stage",),
            buckets=BUCKETS_S,
            registry=registry,
        )
        self._job_seconds = Histogram(
            "sourcebook_job_seconds",
            "Time of jobs that this process has ended",
            ("kind", "status"),
            buckets=JOB_BUCKETS_S,
            registry=registry,
        )
        # From the start on: a counter that appears with its first event hides that event.
        for surface in get_args(AnswerSurface):
            for outcome in get_args(AnswerOutcome):
                self._answers.labels(surface, outcome)
        for outcome in asdict(SentenceCounts()):
            self._sentences.labels(outcome)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def answer(
        self,
        surface: AnswerSurface,
        outcome: AnswerOutcome,
        seconds: Mapping[AnswerStage, float],
    ) -> None:
        """Record one answer."""
        self._answers.labels(surface, outcome).inc()
        for stage, took_s in seconds.items():
            self._answer_seconds.labels(surface, stage).observe(took_s)

    def sentences(self, counts: SentenceCounts) -> None:
        """Record the sentences of one answer."""
        for outcome, count in asdict(counts).items():
            self._sentences.labels(outcome).inc(count)

    def search(self, seconds: Mapping[SearchStage, float]) -> None:
        """Record one search."""
        for stage, took_s in seconds.items():
            self._search_seconds.labels(stage).observe(took_s)

    def job(self, kind: JobKind, status: JobStatus, seconds: float) -> None:
        """Record one job that has ended."""
        self._job_seconds.labels(kind, status).observe(seconds)

    def render(self, statistics: ServiceStatistics) -> tuple[bytes, str]:
        """Return the metrics, with these statistics as gauges, and their content type."""
        gauges = CollectorRegistry()
        gauges.register(_Gauges(statistics))
        counted = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            # Several workers count together, each in files that all of them read.
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        return generate_latest(counted) + generate_latest(gauges), CONTENT_TYPE_LATEST


class _Gauges(Collector):
    """What is so at one moment. What is not known has no series."""

    def __init__(self, statistics: ServiceStatistics) -> None:
        self._statistics = statistics

    def collect(self) -> Iterator[Metric]:
        found = self._statistics
        version = {"version": installed_version()}
        yield InfoMetricFamily("sourcebook_build", "This version of Sourcebook", value=version)
        if found.index is not None:
            for name, value in (
                ("collections", found.index.collections),
                ("documents", found.index.documents),
                ("chunks", found.index.chunks),
            ):
                yield GaugeMetricFamily(f"sourcebook_{name}", f"Indexed {name}", value)
        if found.jobs is not None:
            yield _jobs(found.jobs)
        if found.probes is not None:
            yield _probes(found.probes)
        if found.disk_bytes:
            yield _disk(found.disk_bytes)
        if found.queues:
            yield _queues(found.queues)


def _jobs(counts: JobCounts) -> Metric:
    family = GaugeMetricFamily(
        "sourcebook_jobs", "Jobs that wait and run, of all processes", labels=("kind", "status")
    )
    for kind in get_args(JobKind):
        for status in UNFINISHED:
            family.add_metric((kind, status), counts.get((kind, status), 0))
    return family


def _probes(counts: ProbeCounts) -> Metric:
    family = GaugeMetricFamily(
        "sourcebook_probes", "Questions that books are tested with", labels=("state",)
    )
    for state in get_args(ProbeState):
        family.add_metric((state,), counts.get(state, 0))
    return family


def _disk(parts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(
        "sourcebook_disk_bytes", "Space that the data folder takes on the disk", labels=("part",)
    )
    for part, size in parts.items():
        family.add_metric((part,), size)
    return family


def _queues(queues: Mapping[str, QueueLength]) -> Metric:
    family = GaugeMetricFamily(
        "sourcebook_model_queue_texts",
        "Texts that wait for a model on this machine, and those that it computes",
        labels=("model", "state"),
    )
    for model, queue in queues.items():
        family.add_metric((model, "waiting_queries"), queue.waiting_queries)
        family.add_metric((model, "waiting_documents"), queue.waiting_documents)
        family.add_metric((model, "running"), queue.running)
    return family
