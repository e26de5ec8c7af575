"""One world for all tests of a file: each case leaves it as it found it."""

from collections.abc import Iterator

import pytest

from tests.fuzz.world import World, open_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world
