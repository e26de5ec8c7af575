"""Pictures of the pages of uploaded PDFs, for whoever may read the lesson."""

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sourcebook.core.errors import BookUnreadable
from sourcebook.service.wiring.ingestion import BookConfig
from tests import document_files as make
from tests.surfaces.book.sample_book import Library
from tests.surfaces.book.test_uploads import NOTES, WREN, taking_uploads, upload

MANUAL = ("manual.pdf", make.pdf([[(12, "Wren walks on two legs.")]]))


class FakePictures:
    """Has a picture of the first page of every file."""

    async def picture(self, file: Path, page: int) -> bytes:
        if page > 1:
            raise BookUnreadable(f"It has no page {page}")
        return f"picture of {file.name}".encode()


@pytest.fixture
def config(config: BookConfig, tmp_path: Path) -> BookConfig:
    return replace(taking_uploads(config, tmp_path), page_pictures=FakePictures())


async def pages_of(client: httpx2.AsyncClient, library: Library, file: tuple[str, bytes]) -> str:
    """Upload a file; return the path of its pages."""
    await upload(client, file)
    await library.work_off()
    (lesson,) = (await client.get("/lessons", params=WREN)).json()["lessons"]
    return f"/lesson/{lesson['parent_doc_id']}/original/pages"


async def test_a_page_of_an_uploaded_pdf_is_drawn(
    client: httpx2.AsyncClient, library: Library
) -> None:
    reply = await client.get(f"{await pages_of(client, library, MANUAL)}/1", params=WREN)

    assert reply.content == b"picture of manual.pdf"
    assert reply.headers["content-type"] == "image/png"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"].endswith("sandbox")


@pytest.mark.parametrize(("page", "status"), [("2", 404), ("0", 422), ("one", 422), ("-1", 422)])
async def test_a_page_that_is_not_there_is_no_error_of_the_service(
    client: httpx2.AsyncClient, library: Library, page: str, status: int
) -> None:
    reply = await client.get(f"{await pages_of(client, library, MANUAL)}/{page}", params=WREN)

    assert reply.status_code == status


async def test_only_pdfs_have_pages(client: httpx2.AsyncClient, library: Library) -> None:
    reply = await client.get(f"{await pages_of(client, library, NOTES)}/1", params=WREN)

    assert reply.status_code == 404
    assert "no PDF of it was uploaded" in reply.json()["detail"]


async def test_a_page_needs_the_rights_of_its_lesson(
    client: httpx2.AsyncClient, library: Library, tmp_path: Path
) -> None:
    path = f"{await pages_of(client, library, MANUAL)}/1"

    # It is a lesson of another book than the service's own.
    assert (await client.get(path)).status_code == 404
    (tmp_path / "uploads" / "wren" / "manual.pdf").unlink()
    assert (await client.get(path, params=WREN)).status_code == 404
