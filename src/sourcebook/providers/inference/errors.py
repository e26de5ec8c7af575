"""Translates the exceptions of model libraries into Sourcebook's errors."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sourcebook.core.errors import SourcebookError

log = logging.getLogger(__name__)


@contextmanager
def foreign_errors_as(ours: type[SourcebookError], what: str) -> Iterator[None]:
    """Raise any foreign exception as `ours`; `what` says which work failed."""
    try:
        yield
    except SourcebookError:
        raise
    except Exception as error:
        log.exception("model_failed", extra={"what": what})
        raise ours(f"{what}: {type(error).__name__}") from error
