"""A real Chroma server, started once for all tests that need one."""

from collections.abc import Iterator

import pytest

from tests.extras.chroma_process import running_chroma


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_chroma(tmp_path_factory.mktemp("chroma-server")) as url:
        yield url
