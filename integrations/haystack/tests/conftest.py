"""The service that the tests of all retrievers ask; `pythonpath` in pyproject.toml finds it."""

from passages import asked, service

__all__ = ["asked", "service"]
