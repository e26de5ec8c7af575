"""PDFs that grow when they are read cost only themselves."""

import zlib
from collections.abc import Callable, Iterator

import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.process import MIB, ConversionLimits, ConversionProcess
from tests.document_files import pdf, pdf_of
from tests.fuzz.profile import LONG

CONVERT = "sourcebook.providers.converters.pdf:convert"
LIMITS = ConversionLimits(timeout_s=20.0, memory_bytes=512 * MIB)
TOO_MUCH = "more than 512 MiB of memory|within 20 s"
GOOD = pdf([[(12, "A node is one process of a robot.")]])
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
FORM = "/Type /XObject /Subtype /Form /BBox [0 0 612 792]"


@pytest.fixture(scope="module")
def process() -> Iterator[ConversionProcess]:
    process = ConversionProcess(LIMITS)
    yield process
    process.close()


def stream(content: str, about: str = "") -> str:
    return f"<< {about} /Length {len(content)} >> stream\n{content}\nendstream"


def one_page(content: str, *more: str, resources: str = "") -> bytes:
    """A page that is drawn by object 5; what it needs begins with object 6."""
    return pdf_of(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Resources << /Font << /F 4 0 R >> {resources} >> /Contents 5 0 R >>",
            FONT,
            content,
            *more,
        ]
    )


def swelling() -> bytes:
    """A stream of a few kilobytes that unpacks to a gigabyte."""
    packer = zlib.compressobj(level=1)
    packed = b"".join(packer.compress(bytes(MIB)) for _ in range(1_024)) + packer.flush()
    twice = zlib.compress(packed).hex()
    filters = "/Filter [/ASCIIHexDecode /FlateDecode /FlateDecode]"
    return one_page(stream(twice, filters))


def nested(depth: int = 9) -> bytes:
    """Forms of which each draws the next ten times: a few hundred bytes for every zero."""
    calls = "/X Do " * 10
    forms = [
        stream(calls, f"{FORM} /Resources << /XObject << /X {7 + number} 0 R >> >>")
        for number in range(depth - 1)
    ]
    words = "BT /F 12 Tf 72 700 Td (ha) Tj ET"
    forms.append(stream(words, f"{FORM} /Resources << /Font << /F 4 0 R >> >>"))
    return one_page(stream(calls), *forms, resources="/XObject << /X 6 0 R >>")


@pytest.mark.parametrize("bomb", [swelling, nested])
async def test_a_pdf_bomb_is_one_problem_and_the_next_file_is_read(
    process: ConversionProcess, bomb: Callable[[], bytes]
) -> None:
    content = bomb()
    assert len(content) < 100_000

    with pytest.raises(BookUnreadable, match=TOO_MUCH):
        await process.convert(CONVERT, content)

    assert "one process" in (await process.convert(CONVERT, GOOD)).text


async def test_a_page_tree_that_contains_itself_is_damage(process: ConversionProcess) -> None:
    circle = pdf_of(
        ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]
    )

    with pytest.raises(BookUnreadable, match="damaged"):
        await process.convert(CONVERT, circle)


async def test_a_number_of_pages_that_is_a_lie_is_not_believed(process: ConversionProcess) -> None:
    lying = GOOD.replace(b"/Count 1 ", b"/Count 2000000000 ")

    assert "one process" in (await process.convert(CONVERT, lying)).text


@pytest.mark.skipif(not LONG, reason="takes a minute")
async def test_of_very_many_pages_the_first_are_read_and_the_rest_is_told() -> None:
    pages = [[(12, f"Node {number} is process {number * 7}.")] for number in range(200_000)]
    process = ConversionProcess()
    try:
        found = await process.convert(CONVERT, pdf(pages))
    finally:
        process.close()

    assert found.warnings == ("Only the first 5,000 of its 200,000 pages were read; divide it",)
