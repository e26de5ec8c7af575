"""A chat that cannot be answered is refused in the contract's words, with a status."""

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator

import httpx2
import pytest

from sourcebook.answering.chat_models import ChatModels
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import AgentTimeout
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Ledger
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.surfaces.rag_v3.chat_results import CUT_OFF
from sourcebook.surfaces.rate_limits import ConcurrencyLimit, RateLimit, RateLimits
from tests.fakes import EchoingModel, FakeEmbedder, FakeLanguageModel
from tests.llm_server import Fail, Hang, ScriptedModel
from tests.memory_store import MemoryStore
from tests.surfaces.chat.chat_client import PATIENCE_S, running, until
from tests.surfaces.rag_v3.chat_service import CHAT, HI, Service, check
from tests.surfaces.rag_v3.postings import INGEST, JSON, posting
from tests.unit.providers.language_models.asking import open_model

INVALID = "Validation error"
UNAVAILABLE = "Service Unavailable"
TOP_K = "ragTopK must be a number between 1 and 20"
ROLE = "messages[0].role must be one of user, assistant, system"
TEMPERATURE = "options.temperature must be a number between 0 and 2"
BAD_TEMPERATURES: tuple[object, ...] = (-0.1, 2.1, True, "warm", [])
BAD_TOP_KS: tuple[object, ...] = (0, 21, 1.5, True, False, "x", [], {})
BAD_OPTIONS: dict[str, tuple[object, ...]] = {
    "top_p": (-0.1, 1.1, True, "much"),
    "presence_penalty": (-2.1, 2.1, []),
    "frequency_penalty": (-2.1, "3", {}),
    "seed": (1.5, 2**53, True, "x"),
    "stop": (5, ["a"] * 5, [""], ["a" * 201], [5], ""),
}
SAYS = {
    "top_p": "must be a number between 0 and 1",
    "presence_penalty": "must be a number between -2 and 2",
    "frequency_penalty": "must be a number between -2 and 2",
    "seed": "must be a whole number between -9007199254740991 and 9007199254740991",
    "stop": "must be a string, or an array of up to 4, of 1 to 200 characters each",
}
NO_BOOLEANS: tuple[object, ...] = (1, 0, "true", [])


class HangingModel(FakeLanguageModel):
    """Never says a word."""

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        self.open += 1
        try:
            await asyncio.Event().wait()
            yield ""
        finally:
            self.open -= 1


@pytest.fixture
async def client(service: Service) -> AsyncIterator[httpx2.AsyncClient]:
    async with service.client(EchoingModel()) as client:
        yield client


@pytest.mark.spec("003 2.3")
@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({}, "message", "Message is required"),
        ({"message": None, "messages": None}, "message", "Message is required"),
        ({"message": " \n\u200b"}, "message", "Message is required"),
        ({"messages": []}, "message", "Message is required"),
        (
            {"messages": [{"role": "assistant", "content": "a"}]},
            "message",
            "Message is required",
        ),
        ({"messages": [{"role": "user", "content": ""}]}, "message", "Message is required"),
        ({"message": 5}, "message", "message must be a string"),
        ({"message": "a" * 32_001}, "message", "message has 32001 characters, 32000 at most"),
        (
            {"message": "a" * 10_001, "useRag": True},
            "message",
            "message has 10001 characters, 10000 at most",
        ),
        ({"messages": "Hi"}, "messages", "messages must be an array"),
        ({"messages": [HI] * 501}, "messages", "messages has 501 elements, 500 at most"),
        ({"messages": ["Hi"]}, "messages[0]", "messages[0] must be an object"),
        ({"messages": [{"content": "Hi"}]}, "messages[0].role", ROLE),
        ({"messages": [{**HI, "role": "tool"}]}, "messages[0].role", ROLE),
        ({"messages": [{**HI, "role": ["user"]}]}, "messages[0].role", ROLE),
        (
            {"messages": [HI, {**HI, "content": [1]}]},
            "messages[1].content",
            "messages[1].content must be a string",
        ),
        ({"system": {}}, "system", "system must be a string"),
        ({"options": []}, "options", "options must be an object"),
        *[
            ({"options": {"temperature": bad}}, "options.temperature", TEMPERATURE)
            for bad in BAD_TEMPERATURES
        ],
        *[
            (
                {"options": {name: bad}},
                f"options.{name}",
                f"options.{name} must be a whole number of 1 or more",
            )
            for name in ("num_predict", "max_tokens")
            for bad in (0, -3, 1.5, False, "many")
        ],
        *[
            ({"options": {name: bad}}, f"options.{name}", f"options.{name} {SAYS[name]}")
            for name, bads in BAD_OPTIONS.items()
            for bad in bads
        ],
        ({"model": 5}, "model", "model must be a string"),
        ({"model": "m" * 201}, "model", "model has 201 characters, 200 at most"),
        ({"model": "a\n"}, "model", "model must not hold control characters"),
        ({"conversationId": 5}, "conversationId", "conversationId must be a string"),
        (
            {"conversationId": "a" * 129},
            "conversationId",
            "conversationId has 129 characters, 128 at most",
        ),
        *[
            (
                {"conversationId": f"a{control}"},
                "conversationId",
                "conversationId must not hold control characters",
            )
            for control in ("\n", "\x1b", "\x7f", "\x85")
        ],
        *[({"useRag": bad}, "useRag", "useRag must be true or false") for bad in NO_BOOLEANS],
        *[({"useRag": True, "ragTopK": bad}, "ragTopK", TOP_K) for bad in BAD_TOP_KS],
        ({"useRag": True, "ragFilters": []}, "ragFilters", "ragFilters must be an object"),
        (
            {"useRag": True, "ragFilters": {"source": 5}},
            "ragFilters.source",
            "ragFilters.source must be a string",
        ),
        (
            {"useRag": True, "ragFilters": {"sourc": "nas"}},
            "ragFilters",
            "ragFilters has an unknown key 'sourc'; known: source, tags, metadata",
        ),
        (
            {"useRag": True, "ragFilters": {"tags": "a"}},
            "ragFilters.tags",
            "ragFilters.tags must be an array of strings",
        ),
    ],
)
async def test_what_cannot_be_used_is_400_and_named(
    service: Service,
    client: httpx2.AsyncClient,
    body: dict[str, object],
    field: str,
    message: str,
) -> None:
    known = {"message", "messages"} & body.keys() or not body
    reply = await client.post(CHAT, json=body if known else {"message": "Hi", **body})

    assert check(reply, 400, INVALID) == message
    assert reply.json()["details"]["field"] == field
    assert service.conversations.exchanges == []


@pytest.mark.parametrize("body", [b"[]", b"{", b'"Hi"', b"null", b'{"message": "a\\u0000b"}'])
async def test_what_is_no_chat_is_400(client: httpx2.AsyncClient, body: bytes) -> None:
    check(await client.post(CHAT, content=body, headers=JSON), 400, INVALID)


@pytest.mark.spec("003 5")
async def test_what_the_framework_refuses_is_in_the_dialect(client: httpx2.AsyncClient) -> None:
    plain = {"Content-Type": "text/plain"}
    evil = {"Origin": "http://evil.example"}
    large = b" " * 300 * 1024

    check(await client.get(CHAT), 405, "Method not allowed")
    check(await client.post(f"{CHAT}/nowhere", json={}), 404, "Not found")
    check(await client.post(CHAT, json={}, headers=evil), 403, "Forbidden")
    check(await client.post(CHAT, content=b"{}", headers=plain), 415, "Unsupported media type")
    check(await client.post(CHAT, content=large, headers=JSON), 413, "Payload too large")


async def test_without_a_model_and_without_rag_it_is_503(service: Service) -> None:
    async with service.client() as client:
        reply = await client.post(CHAT, json={"message": "Hi"})

    assert check(reply, 503, UNAVAILABLE).startswith("No language model is configured")


@pytest.mark.spec("003 2.3")
async def test_a_failing_search_is_503_and_never_an_ungrounded_answer(
    service: Service, embedder: FakeEmbedder
) -> None:
    model = FakeLanguageModel(["Made up."])
    async with service.client(model) as client:
        await client.post(INGEST, json=posting())
        embedder.failing = True
        reply = await client.post(CHAT, json={"message": "The arm?", "useRag": True})

    message = check(reply, 503, UNAVAILABLE)
    assert message.startswith("Embeddings service is not available")
    assert model.prompts == []


async def test_a_store_that_is_away_is_503_before_anything_is_posted(
    ledger: Ledger, models: EmbeddingModels
) -> None:
    class Away(MemoryStore):
        async def check(self) -> ServiceHealth:
            return ServiceHealth("down", message="The Qdrant server cannot be reached")

    model = FakeLanguageModel(["Made up."])
    async with Service(ledger, Away(), models).client(model) as client:
        reply = await client.post(CHAT, json={"message": "The arm?", "useRag": True})
        asked = await client.post("/chat", json={"query": "What is a node?"})

    check(reply, 503, UNAVAILABLE)
    assert (asked.status_code, asked.json()["error_code"]) == (503, "retrieval_unavailable")
    assert model.prompts == []


async def test_a_crash_is_a_500_that_tells_nothing_inside(service: Service) -> None:
    model = FakeLanguageModel([RuntimeError("canary-inside")])
    async with service.client(model) as client:
        reply = await client.post(CHAT, json={"message": "Hi"})

    check(reply, 500, "Internal server error")
    assert "canary-inside" not in reply.text


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_a_model_that_refuses_is_503_and_its_words_stay_inside(
    service: Service, status: int
) -> None:
    async with (
        ScriptedModel([Fail(status)], repeat_last=True) as server,
        open_model(server) as model,
        service.client(model) as client,
    ):
        reply = await client.post(CHAT, json={"message": "Hi"})

    check(reply, 503, UNAVAILABLE)
    assert "canary" not in reply.text
    assert 1 <= len(server.requests) <= 5
    assert service.conversations.exchanges == []


async def test_a_chat_has_as_long_as_is_configured(service: Service) -> None:
    model = HangingModel()
    async with service.client(model, timeout_s=0.05) as client:
        reply = await client.post(CHAT, json={"message": "Hi"})

    assert check(reply, 503, UNAVAILABLE).startswith("The answer took longer")
    assert model.open == 0
    assert service.conversations.exchanges == []


@pytest.mark.parametrize("use_rag", [False, True])
async def test_who_leaves_takes_the_model_along(service: Service, use_rag: bool) -> None:
    rate_limits = RateLimits(chat_slots=ConcurrencyLimit(at_once=1))
    async with (
        ScriptedModel([Hang()]) as server,
        open_model(server) as model,
        running(service.app(model, rate_limits)) as running_service,
    ):
        body = {"message": "Hi", "useRag": use_rag}
        _, writer = await running_service.begin(CHAT, body)
        request = await asyncio.wait_for(server.request(), PATIENCE_S)
        assert rate_limits.chat_slots.taken == 1
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await asyncio.wait_for(request.gone.wait(), PATIENCE_S)
        await until(lambda: rate_limits.chat_slots.taken == 0)

    assert service.conversations.exchanges == []


async def test_the_rate_is_that_of_all_chats(service: Service) -> None:
    rate_limits = RateLimits(chats=RateLimit(2))
    async with service.client(EchoingModel(), rate_limits) as client:
        # What is no chat does not count.
        assert (await client.post(CHAT, json={})).status_code == 400
        assert (await client.post(CHAT, json={"message": "Hi"})).status_code == 200
        assert (await client.post("/chat", json={"query": "A node?"})).status_code == 200
        refused = await client.post(CHAT, json={"message": "Hi"})
        other = await client.post("/chat", json={"query": "A node?"})

    check(refused, 429, "Too many requests")
    assert refused.headers["retry-after"] == "60"
    assert other.status_code == 429


async def test_the_slots_are_those_of_all_chats(service: Service) -> None:
    rate_limits = RateLimits(chat_slots=ConcurrencyLimit(at_once=1, timeout_s=0.01))
    async with service.client(EchoingModel(), rate_limits) as client, rate_limits.chat_slots.slot():
        refused = await client.post(CHAT, json={"message": "Hi"})

    check(refused, 429, "Too many requests")
    assert int(refused.headers["retry-after"]) <= 30


@pytest.mark.parametrize(("asked", "calls"), [("3", 5), ("600", 1)])
async def test_callers_learn_how_long_a_model_takes_no_more(
    service: Service, asked: str, calls: int
) -> None:
    async with (
        ScriptedModel([Fail(429, {"Retry-After": asked})], repeat_last=True) as server,
        open_model(server) as model,
        service.client(model) as client,
    ):
        reply = await client.post(CHAT, json={"message": "Hi"})

    check(reply, 503, UNAVAILABLE)
    assert (reply.headers["retry-after"], len(server.requests)) == (asked, calls)


async def test_a_model_that_is_not_on_the_list_is_400_and_the_list_is_told(
    service: Service,
) -> None:
    model = EchoingModel()
    async with service.client(model, models=ChatModels(("qwen3", "llama3"))) as client:
        reply = await client.post(CHAT, json={"message": "Hi", "model": "gpt-99"})

    assert check(reply, 400, INVALID) == (
        "Model 'gpt-99' is not allowed. Allowed models: ['fake-model', 'qwen3', 'llama3']"
    )
    assert reply.json()["details"]["field"] == "model"
    assert model.prompts == []


@pytest.mark.spec("003 5")
@pytest.mark.parametrize(
    ("upstream", "body", "status", "error", "says"),
    [
        (404, {"model": "llama2"}, 404, "Not found", "'llama2' is not known to its server"),
        (404, {}, 503, UNAVAILABLE, "is not available right now"),
        (400, {"options": {"stop": "a"}}, 400, INVALID, "options that it does not take"),
        (400, {}, 503, UNAVAILABLE, "is not available right now"),
        (500, {"model": "llama2"}, 503, UNAVAILABLE, "is not available right now"),
    ],
)
async def test_what_a_caller_chose_wrongly_is_its_own_mistake(
    service: Service,
    upstream: int,
    body: dict[str, object],
    status: int,
    error: str,
    says: str,
) -> None:
    async with (
        ScriptedModel([Fail(upstream)], repeat_last=True) as server,
        open_model(server) as model,
        service.client(model, models=ChatModels(any_model=True)) as client,
    ):
        reply = await client.post(CHAT, json={"message": "Hi", **body})

    assert says in check(reply, status, error)
    assert len(server.requests) == (3 if upstream == 500 else 1)
    assert "canary" not in reply.text


async def test_what_was_said_before_the_time_is_up_is_the_reply_with_a_warning(
    service: Service,
) -> None:
    model = FakeLanguageModel(["The arm ", "lifts", AgentTimeout("too slow")], ["Done."])
    async with service.client(model) as client:
        cut = (await client.post(CHAT, json={"message": "Hi"})).json()
        whole = (await client.post(CHAT, json={"message": "Hi"})).json()

    assert cut["data"]["message"] == "The arm lifts"
    assert cut["warning"] == cut["data"]["warning"] == CUT_OFF
    assert "warning" not in whole | whole["data"]


async def test_a_model_that_said_nothing_in_time_is_503(service: Service) -> None:
    model = FakeLanguageModel([" \n", AgentTimeout("The model took too long")])
    async with service.client(model) as client:
        reply = await client.post(CHAT, json={"message": "Hi"})

    assert check(reply, 503, UNAVAILABLE) == "The model took too long"
    assert service.conversations.exchanges == []
