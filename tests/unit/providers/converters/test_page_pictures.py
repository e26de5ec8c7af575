"""Pictures of pages: drawn in the process with limits, kept while the file stays as it is."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.core.errors import BookUnreadable, Overloaded
from sourcebook.providers.converters import page_pictures, pdf_pages
from sourcebook.providers.converters.page_pictures import MAX_WAITING, PdfPagePictures
from sourcebook.providers.converters.process import ConversionProcess
from tests import document_files as make

PNG = b"\x89PNG\r\n"
WIDTH, HEIGHT = slice(16, 20), slice(20, 24)


class FakeRender:
    """Counts what is drawn; while it is held, nothing is done."""

    def __init__(self) -> None:
        self.drawn: list[tuple[bytes, int]] = []
        self.entered: asyncio.Queue[int] = asyncio.Queue()
        self.held = asyncio.Event()
        self.held.set()

    async def __call__(self, _: str, content: bytes, page: int) -> bytes:
        self.entered.put_nowait(page)
        await self.held.wait()
        self.drawn.append((content, page))
        return b"picture of " + content


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "manual.pdf"
    path.write_bytes(b"one")
    return path


@pytest.fixture
def process() -> Iterator[ConversionProcess]:
    process = ConversionProcess()
    yield process
    process.close()


def replace_content(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    os.utime(file, ns=(1, 1))


def size(picture: bytes) -> tuple[int, int]:
    return int.from_bytes(picture[WIDTH]), int.from_bytes(picture[HEIGHT])


async def test_a_page_is_drawn_in_the_process_with_limits(
    process: ConversionProcess, tmp_path: Path
) -> None:
    path = tmp_path / "manual.pdf"
    path.write_bytes(make.pdf([[(12, "One.")], [(12, "Two.")]]))
    pictures = PdfPagePictures(process.render)

    assert (await pictures.picture(path, 2)).startswith(PNG)
    with pytest.raises(BookUnreadable, match="It has no page 3"):
        await pictures.picture(path, 3)
    path.write_bytes(b"%PDF-1.4 cut off")
    with pytest.raises(BookUnreadable, match="damaged"):
        await pictures.picture(path, 2)


def test_a_huge_page_is_drawn_smaller() -> None:
    content = make.pdf_of(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 14400 7200] >>",
        ]
    )

    width, height = size(pdf_pages.draw(content, 1))

    assert (width, height) == (pdf_pages.MAX_SIDE_PIXELS, pdf_pages.MAX_SIDE_PIXELS // 2)


async def test_a_page_is_drawn_once_while_its_file_stays_the_same(file: Path) -> None:
    render = FakeRender()
    pictures = PdfPagePictures(render)
    for _ in range(2):
        assert await pictures.picture(file, 1) == b"picture of one"

    replace_content(file, b"two")

    assert await pictures.picture(file, 1) == b"picture of two"
    assert render.drawn == [(b"one", 1), (b"two", 1)]


async def test_the_oldest_pictures_make_room(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_pictures, "MAX_KEPT_BYTES", 30)
    render = FakeRender()
    pictures = PdfPagePictures(render)

    for page in (1, 2, 3, 3, 1):
        await pictures.picture(file, page)

    assert [page for _, page in render.drawn] == [1, 2, 3, 1]


async def test_readers_do_not_queue_without_end(file: Path) -> None:
    render = FakeRender()
    render.held.clear()
    pictures = PdfPagePictures(render)
    waiting = [asyncio.create_task(pictures.picture(file, 1 + at)) for at in range(MAX_WAITING)]
    for _ in waiting:
        await render.entered.get()

    with pytest.raises(Overloaded, match="try again"):
        await pictures.picture(file, 99)

    render.held.set()
    await asyncio.gather(*waiting)
    assert await pictures.picture(file, 99) == b"picture of one"


async def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(BookUnreadable, match="no longer there"):
        await PdfPagePictures(FakeRender()).picture(tmp_path / "gone.pdf", 1)
