"""How a command ends that failed."""

import sys
from typing import NoReturn

from sourcebook.core.errors import SourcebookError


def fail(error: SourcebookError, code: int = 1) -> NoReturn:
    """One message, and this exit code."""
    print(f"FATAL: {error.message}", file=sys.stderr)
    sys.exit(code)
