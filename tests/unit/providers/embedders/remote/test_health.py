import pytest

from sourcebook.core.errors import EmbeddingFailed, PoisonText
from tests.embedding_server import CANARY, EmbeddingServer, Fail
from tests.unit.providers.embedders.remote.fake_services import EVERY, KEY, Open, openai


@EVERY
async def test_a_service_that_is_there_is_up_and_embeds_nothing_for_it(opened: Open) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        before = len(server.requests)
        health = await embedder.check()
    assert health.status == "up"
    assert health.latency_ms is not None
    assert len(server.requests) == before


@EVERY
@pytest.mark.parametrize("status", [401, 500])
async def test_a_service_that_refuses_the_probe_is_down(opened: Open, status: int) -> None:
    async with EmbeddingServer() as server, opened(server) as embedder:
        server.probe_status = status
        health = await embedder.check()
    assert health.status == "down"
    assert str(status) in (health.message or "")
    assert CANARY not in (health.message or "")
    assert KEY not in (health.message or "")


async def test_a_service_that_is_away_is_down() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        server._server.close()
        assert (await embedder.check()).status == "down"


async def test_a_server_without_a_list_of_models_is_up() -> None:
    async with EmbeddingServer(probe_status=404) as server, openai(server) as embedder:
        assert (await embedder.check()).status == "up"


async def test_a_failure_is_remembered_until_a_call_goes_well() -> None:
    async with EmbeddingServer([Fail(429)]) as server, openai(server) as embedder:
        with pytest.raises(EmbeddingFailed):
            await embedder.embed_query("Why?")
        health = await embedder.check()
        await embedder.embed_query("Why?")
        assert health.status == "degraded"
        assert "takes no more for now" in (health.message or "")
        assert (await embedder.check()).status == "up"


async def test_a_poison_text_says_nothing_of_the_service() -> None:
    async with EmbeddingServer() as server, openai(server) as embedder:
        with pytest.raises(PoisonText):
            await embedder.embed_documents(["poison"])
        assert (await embedder.check()).status == "up"
