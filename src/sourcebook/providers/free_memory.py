"""Gives free memory back to the system, which glibc's allocator keeps for later."""

import ctypes


def release_free_memory() -> bool:
    """Return whether anything was released. Only glibc's allocator can do it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
