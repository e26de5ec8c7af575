"""Files that are uploaded into a book: kept, indexed by an ordinary run, and deleted again."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sourcebook.ingestion.book.layout_choice import LayoutSettings
from sourcebook.providers.sources.uploads import UploadFolder
from sourcebook.service.wiring.ingestion import BookConfig
from tests.converters import our_converters
from tests.surfaces.book.sample_book import BOOK, KEY, Library

WREN = {"book_id": "wren"}
AS_ADMIN = {"X-Admin-API-Key": KEY}
NOTES = ("notes.md", b"# Notes\n\nWren is a robot with two arms.")
PARTS = ("parts.csv", b"part,mass\narm,3 kg\n")


def taking_uploads(config: BookConfig, folder: Path) -> BookConfig:
    return replace(
        config,
        layout=LayoutSettings(),
        conversion=our_converters(),
        uploads=UploadFolder(folder / "uploads"),
    )


@pytest.fixture
def config(config: BookConfig, tmp_path: Path) -> BookConfig:
    return taking_uploads(config, tmp_path)


async def upload(
    client: httpx2.AsyncClient, *files: tuple[str, bytes], book: str = "wren"
) -> httpx2.Response:
    return await client.post(
        f"/books/{book}/files", files=[("files", file) for file in files], headers=AS_ADMIN
    )


async def listed(client: httpx2.AsyncClient) -> dict[str, Any]:
    reply = await client.get("/books/wren/files", headers=AS_ADMIN)
    return {file["path"]: file for file in reply.json()["files"]}


async def test_uploaded_files_become_a_book(client: httpx2.AsyncClient, library: Library) -> None:
    reply = await upload(client, NOTES, PARTS)
    jobs = await library.work_off()

    assert reply.status_code == 202, reply.text
    said = reply.json()
    assert [file["path"] for file in said["files"]] == ["notes.md", "parts.csv"]
    assert [(job.id, job.status) for job in jobs] == [(said["job_id"], "completed")]
    assert {path: file["state"] for path, file in (await listed(client)).items()} == {
        "notes.md": "indexed",
        "parts.csv": "indexed",
    }


async def test_the_original_of_an_uploaded_lesson_can_be_opened(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await upload(client, PARTS)
    await library.work_off()
    (lesson,) = (await client.get("/lessons", params=WREN)).json()["lessons"]
    path = f"/lesson/{lesson['parent_doc_id']}"
    whole = (await client.get(path, params=WREN)).json()

    reply = await client.get(f"{path}/original", params=WREN)

    assert whole["has_original"] is True
    (chunk, *_) = whole["chunks"]
    around = await client.get(f"/context/{chunk['chunk_id']}", params=WREN)
    assert around.json()["has_original"] is True
    assert reply.content == PARTS[1]
    # Nothing but a PDF is ever shown as a page of this service.
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == 'attachment; filename="parts.csv"'
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"].endswith("sandbox")


async def test_an_original_needs_the_rights_of_its_lesson(
    client: httpx2.AsyncClient, library: Library
) -> None:
    secret = ("secret.md", b"---\nhardware_tier: 3\n---\n# Secret\n\nWren has a third arm.")
    await upload(client, secret)
    await library.work_off()
    (lesson,) = (await client.get("/lessons", params=WREN)).json()["lessons"]
    path = f"/lesson/{lesson['parent_doc_id']}/original"

    assert (await client.get(path, params=WREN)).status_code == 200
    assert (await client.get(path, params=WREN | {"hardware_tier": 2})).status_code == 404
    assert (await client.get(path)).status_code == 404


async def test_a_lesson_whose_file_is_not_among_the_uploads_has_no_original(
    client: httpx2.AsyncClient, library: Library, tmp_path: Path
) -> None:
    await upload(client, NOTES)
    await library.work_off()
    (lesson,) = (await client.get("/lessons", params=WREN)).json()["lessons"]
    path = f"/lesson/{lesson['parent_doc_id']}"
    (tmp_path / "uploads" / "wren" / "notes.md").unlink()

    assert "has_original" not in (await client.get(path, params=WREN)).json()
    reply = await client.get(f"{path}/original", params=WREN)
    assert reply.status_code == 404
    assert "was not uploaded" in reply.json()["detail"]


async def test_a_deleted_file_is_no_longer_found(
    client: httpx2.AsyncClient, library: Library
) -> None:
    await upload(client, NOTES)
    await library.work_off()

    reply = await client.delete("/books/wren/files/notes.md", headers=AS_ADMIN)
    (job,) = await library.work_off()

    assert (reply.status_code, job.status) == (202, "completed")
    assert await listed(client) == {}


async def test_a_deleted_book_takes_its_uploaded_files_with_it(
    client: httpx2.AsyncClient, library: Library, tmp_path: Path
) -> None:
    await upload(client, NOTES)
    await library.work_off()

    reply = await client.delete("/books/wren", headers=AS_ADMIN)

    assert reply.status_code == 200, reply.text
    assert not (tmp_path / "uploads" / "wren").exists()


async def test_a_book_of_another_source_takes_no_uploads(
    client: httpx2.AsyncClient, indexed: Library
) -> None:
    reply = await upload(client, NOTES, book=BOOK)

    assert reply.status_code == 409
    assert "come from elsewhere" in reply.json()["detail"]


@pytest.mark.parametrize("name", ["../notes.md", ".env"])
async def test_a_bad_name_is_refused(client: httpx2.AsyncClient, name: str) -> None:
    reply = await upload(client, (name, b"x"))

    assert reply.status_code == 422
    assert "cannot be the name of a file" in reply.json()["detail"]


async def test_an_upload_needs_the_key_and_files(client: httpx2.AsyncClient) -> None:
    anonymous = await client.post("/books/wren/files", files=[("files", NOTES)])
    empty = await client.post("/books/wren/files", headers=AS_ADMIN)
    as_json = await client.post("/books/wren/files", json={"files": []}, headers=AS_ADMIN)

    assert [reply.status_code for reply in (anonymous, empty, as_json)] == [401, 422, 422]


async def test_a_form_that_cannot_be_read_is_bad_input(client: httpx2.AsyncClient) -> None:
    headers = AS_ADMIN | {"content-type": "multipart/form-data"}

    reply = await client.post("/books/wren/files", content=b"--x\r\n", headers=headers)

    assert reply.status_code == 422
    assert "The form cannot be read: Missing boundary" in reply.text
