"""A ledger in a real Postgres: one owner, concurrent writers, and a server that goes away."""

import asyncio
from pathlib import Path

import pytest

from sourcebook.core.errors import AlreadyExists, ConfigurationError, RetrievalUnavailable
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger
from tests.contract.ledger_values import new_collection, put, version_of
from tests.postgres import fresh_database, postgres_server


async def test_a_ledger_in_use_is_refused(postgres_url: str) -> None:
    url = await fresh_database(postgres_url)
    async with open_postgres_ledger(url):
        with pytest.raises(ConfigurationError, match="in use by another Sourcebook"):
            async with open_postgres_ledger(url):
                pass

    async with open_postgres_ledger(url) as ledger:
        assert (await ledger.check()).status == "up"


async def test_concurrent_writers_lose_nothing(postgres_url: str) -> None:
    async with open_postgres_ledger(await fresh_database(postgres_url)) as ledger:
        collection = new_collection()
        await ledger.collections.create(collection)

        await asyncio.gather(*(put(ledger, collection, version_of(f"d{n}")) for n in range(50)))

        assert (await ledger.collections.get("robotics")).count == 50
        assert (await ledger.collections.get("robotics")).revision == 50


async def test_a_name_is_taken_once_even_at_the_same_time(postgres_url: str) -> None:
    async with open_postgres_ledger(await fresh_database(postgres_url)) as ledger:
        tries = [ledger.collections.create(new_collection()) for _ in range(10)]

        results = await asyncio.gather(*tries, return_exceptions=True)

    assert [type(result) for result in results if result is not None] == [AlreadyExists] * 9


async def test_a_server_that_comes_back_is_used_again(postgres_folder: Path) -> None:
    with postgres_server(postgres_folder) as server:
        url = await fresh_database(server)
        ledgers = open_postgres_ledger(url)
        ledger = await ledgers.__aenter__()
        await ledger.collections.create(new_collection())

    with pytest.raises(RetrievalUnavailable):
        await ledger.collections.get("robotics")
    assert (await ledger.check()).status == "down"

    with postgres_server(postgres_folder):
        assert (await ledger.collections.get("robotics")).name == "robotics"
        await ledgers.__aexit__(None, None, None)


async def test_no_server_at_all_is_a_clear_error(tmp_path: Path) -> None:
    url = f"postgresql://u:canary-password@/db?host={tmp_path}"

    with pytest.raises(ConfigurationError, match="SOURCEBOOK_LEDGER_URL") as caught:
        async with open_postgres_ledger(url):
            pass

    assert "canary-password" not in caught.value.message


async def test_those_that_share_a_ledger_use_it_together(postgres_url: str) -> None:
    url = await fresh_database(postgres_url)
    async with (
        open_postgres_ledger(url, shared=True) as one,
        open_postgres_ledger(url, shared=True) as other,
    ):
        await one.collections.create(new_collection())

        assert (await other.collections.get("robotics")).name == "robotics"


async def test_whoever_needs_the_ledger_alone_and_those_that_share_it_exclude_each_other(
    postgres_url: str,
) -> None:
    url = await fresh_database(postgres_url)
    async with open_postgres_ledger(url, shared=True):
        with pytest.raises(ConfigurationError, match="stop the others first"):
            async with open_postgres_ledger(url):
                pass
    async with open_postgres_ledger(url):
        with pytest.raises(ConfigurationError, match="needs it for itself"):
            async with open_postgres_ledger(url, shared=True):
                pass
