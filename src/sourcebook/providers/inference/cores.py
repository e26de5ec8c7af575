"""How many cores this process may compute on."""

import os

_processes = 1


def share_cores(processes: int) -> None:
    """Leave cores to as many processes that compute on this machine, this one among them."""
    global _processes  # noqa: PLW0603 - of a whole process, and set once when it starts
    _processes = processes


def core_count() -> int:
    """Return this process's share of the cores."""
    return max(1, (os.cpu_count() or 1) // _processes)
