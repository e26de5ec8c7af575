"""Prometheus metrics, with one registry per app."""

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

# The last are for answers of a slow language model.
BUCKETS_S = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0),
)


class Metrics:
    """Counts requests and measures their duration, by route."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "sourcebook_requests_total",
            "HTTP requests",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "sourcebook_request_seconds",
            "Time to answer HTTP requests",
            ("method", "route"),
            buckets=BUCKETS_S,
            registry=self._registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def render(self) -> tuple[bytes, str]:
        """Return the metrics and their content type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
