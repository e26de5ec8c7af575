"""The headers that an error brings, which are the same in every dialect."""

import math
from collections.abc import Mapping

from sourcebook.core.errors import Overloaded, RateLimited, SourcebookError, TooManyRequests
from sourcebook.surfaces.access import TooManyFailures, Unauthorized


def headers_of(error: SourcebookError) -> Mapping[str, str]:
    """How to come in, or when to come again."""
    match error:
        case Unauthorized():
            return {"WWW-Authenticate": "Bearer"}
        case TooManyFailures():
            return {"Retry-After": "60"}
        case Overloaded():
            return {"Retry-After": "1"}
        case RateLimited(retry_after_s=float(seconds)):
            return {"Retry-After": _whole(seconds)}
        case TooManyRequests(retry_after_s=seconds):
            # Spec 004 names the header with an underscore.
            return {"Retry-After": _whole(seconds), "retry_after": _whole(seconds)}
        case _:
            return {}


def _whole(seconds: float) -> str:
    return str(max(1, math.ceil(seconds)))
