"""The probe asks for the list of models, spends no tokens and tells no secrets."""

import socket

import pytest

from sourcebook.core.health import Condition
from sourcebook.providers.language_models.agents_model import LISTS_NO_MODELS, open_agents_model
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.failures import KEY_REFUSED, RATE_LIMITED, UNREACHABLE
from tests.llm_server import ScriptedModel
from tests.unit.providers.language_models.asking import KEY, MODEL, open_model


@pytest.mark.spec("004 FR-009")
async def test_a_server_that_lists_its_models_is_up() -> None:
    async with ScriptedModel() as server, open_model(server) as model:
        health = await model.check()

    assert (health.status, health.message) == ("up", None)
    assert health.latency_ms is not None
    assert [(probe.method, probe.path) for probe in server.probes] == [("GET", "/v1/models")]
    assert server.probes[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests == []


@pytest.mark.spec("004 SC-007")
@pytest.mark.parametrize(
    ("status", "condition", "message"),
    [
        (401, "down", KEY_REFUSED),
        (403, "down", KEY_REFUSED),
        (
            400,
            "degraded",
            "The language model's server refused the request (status 400):"
            " check the key, the model's name and the address in the settings",
        ),
        (429, "degraded", RATE_LIMITED),
        (500, "down", "The language model's server failed (status 500): try again later"),
    ],
)
async def test_other_answers_tell_what_is_wrong(
    status: int, condition: Condition, message: str
) -> None:
    async with ScriptedModel(models=status) as server, open_model(server) as model:
        health = await model.check()

    assert (health.status, health.message) == (condition, message)
    assert len(server.probes) == 1


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_server_that_cannot_list_its_models_is_up(status: int) -> None:
    async with ScriptedModel(models=status) as server, open_model(server) as model:
        health = await model.check()

    assert (health.status, health.message) == ("up", LISTS_NO_MODELS)


async def test_a_server_that_is_not_there_is_down() -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/v1/"
        async with open_agents_model(Endpoint(url, MODEL, KEY)) as model:
            health = await model.check()

    assert (health.status, health.message) == ("down", UNREACHABLE)
