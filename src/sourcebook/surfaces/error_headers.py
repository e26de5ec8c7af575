"""The headers that an error brings, which are the same in every dialect."""

import math
from collections.abc import Mapping

from sourcebook.core.errors import Overloaded, RateLimited, SourcebookError
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
            return {"Retry-After": str(max(1, math.ceil(seconds)))}
        case _:
            return {}
