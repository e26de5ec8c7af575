"""On loopback, writes are open only while nothing says that others may get here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from sourcebook.service.config.admin_key import keep_admin_key
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.server import configured_app
from sourcebook.surfaces.use_cases import UseCases

KEY = "a-long-enough-admin-key"
NEW = {"name": "notes", "embedding_model": "minilm"}


@asynccontextmanager
async def served(
    use_cases: UseCases, data: Path, **flags: object
) -> AsyncIterator[tuple[httpx2.AsyncClient, Path]]:
    """A client of the app of these settings, and the file of the key that was made for it."""
    settings = load_settings(None, data_dir=data, **flags)
    folder = make_data_folder(settings.data_dir)
    app = configured_app(use_cases, settings, keep_admin_key(settings, folder))
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(base_url="http://127.0.0.1", transport=transport) as client:
        yield client, folder.admin_key


async def test_a_configured_key_guards_writes_on_loopback_too(
    use_cases: UseCases, tmp_path: Path
) -> None:
    async with served(use_cases, tmp_path / "data", admin_api_key=KEY) as (client, _):
        key = {"X-API-Key": KEY}
        assert (await client.post("/collections", json=NEW)).status_code == 401
        assert (await client.post("/collections", json=NEW, headers=key)).status_code == 200

        assert (await client.delete("/collections/notes")).status_code == 401
        assert (await client.get("/collections/notes")).status_code == 200


async def test_behind_a_proxy_writes_need_the_key_of_the_data_folder(
    use_cases: UseCases, tmp_path: Path
) -> None:
    proxies = ("127.0.0.1",)
    async with served(use_cases, tmp_path / "data", trusted_proxies=proxies) as (client, made):
        without = await client.post("/collections", json=NEW)
        key = {"X-API-Key": made.read_text("utf-8").strip()}
        with_key = await client.post("/collections", json=NEW, headers=key)

    assert (without.status_code, with_key.status_code) == (401, 200)


async def test_without_a_key_and_a_proxy_programs_of_this_machine_write_as_ever(
    use_cases: UseCases, tmp_path: Path
) -> None:
    async with served(use_cases, tmp_path / "data") as (client, _):
        assert (await client.post("/collections", json=NEW)).status_code == 200
        assert (await client.delete("/collections/notes")).status_code == 200
