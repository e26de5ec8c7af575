"""A command that has the data folder serves others on this machine, with the rules of `serve`."""

from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.data_folder import own_data_folder, read_owner
from sourcebook.service.config.settings import load_settings
from sourcebook.service.http.server import serve_on_loopback
from sourcebook.surfaces.use_cases import UseCases

JOBS = "/ingestion/status"


async def test_others_go_through_the_owner_of_the_folder_while_it_works(
    use_cases: UseCases, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path / "data", host="0.0.0.0", port=8000)

    with own_data_folder(settings.data_dir, command="sourcebook ingest") as folder:
        assert read_owner(folder).url is None
        async with serve_on_loopback(use_cases, settings, folder):
            owner = read_owner(folder)
            assert owner.url is not None
            key = {"X-Admin-API-Key": folder.admin_key.read_text("utf-8").strip()}
            async with httpx2.AsyncClient(base_url=owner.url, trust_env=False) as client:
                info = await client.get("/info")
                without = await client.get(JOBS)
                jobs = await client.get(JOBS, headers=key)
                rebound = await client.get("/info", headers={"Host": "evil.example"})
        after = read_owner(folder)
        async with httpx2.AsyncClient(base_url=owner.url, trust_env=False) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.get("/livez")

    # Only this machine, whatever is configured for `serve`, and not its port.
    assert urlsplit(owner.url).hostname == "127.0.0.1"
    assert urlsplit(owner.url).port != settings.port
    assert (owner.command, after.url) == ("sourcebook ingest", None)
    assert (info.status_code, without.status_code, jobs.status_code) == (200, 401, 200)
    assert rebound.status_code == 400


@pytest.mark.parametrize(("host", "status"), [("0.0.0.0", 401), ("127.0.0.1", 200)])
async def test_writes_need_the_key_where_those_of_serve_do(
    host: str, status: int, use_cases: UseCases, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path / "data", host=host)
    new = {"name": "notes", "embedding_model": "minilm"}

    with own_data_folder(settings.data_dir) as folder:
        async with serve_on_loopback(use_cases, settings, folder):
            url = read_owner(folder).url or ""
            async with httpx2.AsyncClient(base_url=url, trust_env=False) as client:
                without = await client.post("/collections", json=new)
                key = {"X-Admin-API-Key": folder.admin_key.read_text("utf-8").strip()}
                other = await client.post("/collections", json={**new, "name": "b"}, headers=key)

    assert (without.status_code, other.status_code) == (status, 200)


async def test_a_key_that_is_too_short_opens_no_port(use_cases: UseCases, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "data", admin_api_key="short")

    with own_data_folder(settings.data_dir) as folder:
        with pytest.raises(ConfigurationError, match="too short"):
            async with serve_on_loopback(use_cases, settings, folder):
                pass

        assert read_owner(folder).url is None
