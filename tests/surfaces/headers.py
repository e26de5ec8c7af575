"""Headers of requests."""

from starlette.datastructures import Headers


def bearer(key: str) -> Headers:
    return Headers({"authorization": f"Bearer {key}"})
