"""The process that converts: a file that ends it, or takes too much, costs only itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.process import MIB, ConversionLimits, ConversionProcess
from tests.unit.providers.converters.odd_converters import (
    connect,
    die,
    echo,
    hang,
    read_key,
    swell,
    write,
)

LIMITS = ConversionLimits(timeout_s=60.0, memory_bytes=512 * MIB)


def named(function: Callable[[bytes], ConvertedDocument]) -> str:
    return f"{function.__module__}:{function.__name__}"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The converters are no part of an installed package, and there is a secret."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[4]))
    monkeypatch.setenv("ADMIN_API_KEY", "secret")


@pytest.fixture(scope="module")
def process() -> Iterator[ConversionProcess]:
    """One for all: each test also shows that the next file is converted."""
    process = ConversionProcess(LIMITS)
    yield process
    process.close()


async def test_a_document_comes_back_whole(process: ConversionProcess) -> None:
    assert await process.convert(named(echo), "héllo".encode()) == echo("héllo".encode())


async def test_a_file_that_ends_the_process_is_one_problem(process: ConversionProcess) -> None:
    with pytest.raises(BookUnreadable, match="SIGABRT"):
        await process.convert(named(die), b"")

    assert (await process.convert(named(echo), b"next")).text == "next"


async def test_a_file_that_takes_too_much_memory_is_one_problem(process: ConversionProcess) -> None:
    with pytest.raises(BookUnreadable, match="more than 512 MiB of memory"):
        await process.convert(named(swell), b"")

    assert (await process.convert(named(echo), b"next")).text == "next"


@pytest.mark.parametrize("forbidden", [connect, write])
async def test_a_converter_has_no_network_and_writes_no_file(
    process: ConversionProcess, forbidden: Callable[[bytes], ConvertedDocument]
) -> None:
    with pytest.raises(BookUnreadable):
        await process.convert(named(forbidden), b"")


async def test_a_converter_sees_no_key(process: ConversionProcess) -> None:
    assert (await process.convert(named(read_key), b"")).text == "none"


async def test_a_file_that_takes_too_long_is_one_problem() -> None:
    impatient = ConversionProcess(ConversionLimits(timeout_s=1.0, memory_bytes=512 * MIB))

    with pytest.raises(BookUnreadable, match="within 1 s"):
        await impatient.convert(named(hang), b"")
