"""One warm process for all kills."""

from collections.abc import Iterator

import pytest

from tests.unit.providers.storage.killer import Killer, open_killer


@pytest.fixture(scope="session")
def killer() -> Iterator[Killer]:
    with open_killer() as killer:
        yield killer
