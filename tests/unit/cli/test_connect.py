"""A command waits a little for the owner of the data folder, and goes through one that serves."""

import asyncio
import socket
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from sourcebook.cli import connect
from sourcebook.cli.connect import finish_refreshes, own_or_find
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.core.ports import Ledger
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.search.catalog import Catalog
from sourcebook.service.config.data_folder import (
    DataFolder,
    FolderInUse,
    announce,
    own_data_folder,
)
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.ingestion import assemble_reindexing
from sourcebook.testing.lease_contract import claimed

SHORT_S = 0.02
LONG_S = 30.0


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path / "data")


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "RETRY_INTERVAL_S", 0.001)
    monkeypatch.setattr(connect, "OWNER_TIMEOUT_S", LONG_S)
    monkeypatch.setattr(connect, "START_TIMEOUT_S", LONG_S)


async def test_a_free_folder_is_owned_at_once(settings: Settings) -> None:
    with ExitStack() as held:
        owned = await own_or_find(settings, held)

        assert owned == DataFolder(settings.data_dir)


async def test_a_command_waits_for_another_that_has_the_folder_and_says_so(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connect, "QUIET_WAIT_S", 0.0)
    with ExitStack() as other, ExitStack() as held:
        other.enter_context(own_data_folder(settings.data_dir, command="sourcebook ask"))
        waiting = asyncio.create_task(own_or_find(settings, held))
        await asyncio.sleep(SHORT_S)
        assert not waiting.done()
        other.close()

        assert await waiting == DataFolder(settings.data_dir)

    said = capsys.readouterr().err
    assert said.count("Waiting for process") == 1
    assert "sourcebook ask" in said


async def test_a_folder_that_stays_in_use_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "OWNER_TIMEOUT_S", SHORT_S)
    with (
        own_data_folder(settings.data_dir, command="sourcebook verify"),
        ExitStack() as held,
        pytest.raises(FolderInUse, match=r"sourcebook verify.*--data-dir"),
    ):
        await own_or_find(settings, held)


async def test_a_service_that_is_starting_is_waited_for(settings: Settings) -> None:
    with closing(socket.socket()) as listener, ExitStack() as held:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with own_data_folder(settings.data_dir, url):
            waiting = asyncio.create_task(own_or_find(settings, held))
            await asyncio.sleep(SHORT_S)
            assert not waiting.done()
            listener.listen()

            assert await waiting == url


async def test_a_local_command_goes_through_no_service_that_may_send_text_away(
    settings: Settings,
) -> None:
    local = settings.model_copy(update={"local": True})
    with closing(socket.socket()) as listener, ExitStack() as held:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with own_data_folder(settings.data_dir, url) as folder:
            with pytest.raises(ConfigurationError, match="start it with --local"):
                await own_or_find(local, held)
            announce(folder, url, local=True)

            assert await own_or_find(local, held) == url


async def test_a_service_that_never_answers_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "START_TIMEOUT_S", SHORT_S)
    with closing(socket.socket()) as deaf, ExitStack() as held:
        deaf.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with (
            own_data_folder(settings.data_dir, url),
            pytest.raises(Unavailable, match=f"{url}.* does not answer"),
        ):
            await own_or_find(settings, held)


async def test_a_command_stays_until_an_outdated_index_is_refreshed(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    capsys: pytest.CaptureFixture[str],
) -> None:
    collection = await Catalog(ledger, store, models).create("robotics", {}, "minilm")
    parts = assemble_reindexing(ledger, store, models)
    await finish_refreshes(parts.jobs)  # there is nothing to wait for
    assert capsys.readouterr().err == ""
    await parts.jobs.refresh(collection)

    waiting = asyncio.create_task(finish_refreshes(parts.jobs))
    await asyncio.sleep(SHORT_S)
    assert not waiting.done()
    await parts.runner.run(await claimed(ledger, "reindex"))
    async with asyncio.timeout(LONG_S):
        await waiting

    assert "Indexing the words of all chunks, once" in capsys.readouterr().err
