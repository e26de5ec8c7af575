"""Folders that take long to make: made once for all workers of a run."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of that name, which the first worker that wants it makes.

    Nobody may change it.
    """
    base = factory.getbasetemp()
    # Below the folder of the run, each worker has one of its own.
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = run / f"template-{name}"
    with FileLock(run / f"template-{name}.lock"):
        if not folder.exists():
            draft = run / f"draft-{name}"
            make(draft)
            draft.rename(folder)
    return folder
