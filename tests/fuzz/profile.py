"""How much to try: a few hundred cases that are always the same, or very many that never are."""

import os

from hypothesis import HealthCheck, settings

LONG = os.environ.get("SOURCEBOOK_LONG") == "1"


def trying(short: int, long: int) -> settings:
    """So many cases in `make test` and in `make test-long`; a failure prints how to repeat it."""
    return settings(
        max_examples=long if LONG else short,
        derandomize=not LONG,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
